"""Opens each page of the site in Chromium, without a screen and as wide as a telephone: browse.py <folder of pages>

A page must load without an error on the console, fit the screen, and show its pictures, each with words for readers who do not see
it. The site's search must find ctie_open."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

WIDTH, HEIGHT = 360, 740
BROWSERS = 2
WATCHDOG = 60
# The width of the page, which the theme would scroll inside a part of it, and the pictures that are not shown or have no words.
STATE = """return [Math.max(...[...document.querySelectorAll("html, body, .content")].map(part => part.scrollWidth)),
    [...document.images].filter(image => !image.naturalWidth || !image.alt).map(image => image.src)];"""


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or sys.exit("there is no chromium: make setup-tests installs it")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    return driver


def complaints(driver):
    """The lines of the console since the last call."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def problems_of(driver, page):
    driver.get(page.as_uri())
    width, pictures = driver.execute_script(STATE)
    yield from complaints(driver)
    if width > WIDTH:
        yield f"is {width} pixels wide on a screen of {WIDTH}"
    yield from (f"does not show or describe {picture}" for picture in pictures)


def finds(driver, site, name):
    """Whether a result of the site's search leads to the name's own place."""
    driver.get(f"{(site / 'search.html').as_uri()}?q={name}")
    links = (By.CSS_SELECTOR, f"#search-results a[href$='#c.{name}']")
    try:
        WebDriverWait(driver, WATCHDOG).until(lambda driver: driver.find_elements(*links))
    except Exception as error:  # the page as it is, and not the driver's stack
        return f"no result for {name}: {type(error).__name__}: {driver.find_element(By.ID, 'search-results').text[:200]}"
    return "; ".join(complaints(driver))


def in_browser(task, *arguments):
    driver = browser()
    try:
        return task(driver, *arguments)
    finally:
        driver.quit()


def problems_of_all(driver, site, pages):
    return [f"{page.relative_to(site)}: {problem}" for page in pages for problem in problems_of(driver, page)]


def main(site):
    pages = sorted(site.rglob("*.html"))
    with ThreadPoolExecutor(BROWSERS) as pool:
        parts = [pool.submit(in_browser, problems_of_all, site, pages[first::BROWSERS]) for first in range(BROWSERS)]
        problems = [problem for part in parts for problem in part.result()]
    problem = in_browser(finds, site, "ctie_open")
    problems += [f"search.html: {problem}"] if problem else []
    print("\n".join(problems) or f"{len(pages)} pages are right in a browser")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
