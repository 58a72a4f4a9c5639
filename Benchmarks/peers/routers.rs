//! What the drivers of the routers in Rust have in common: the sets, the check of the answers, the figures.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

const ROUNDS: u32 = 15;
const BUILDS: u32 = 5;
const TIME: Duration = Duration::from_millis(300);

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

pub trait Router: Sized {
    const NAME: &'static str;
    /// What stands around a parameter: `{` and `}` in `/users/{id}`.
    const MARKS: (&'static str, &'static str);

    /// A router with these routes and their numbers, or why it refuses them.
    fn build(routes: &[String]) -> Result<Self, String>;

    /// The number of the route that takes a path, its parameters captured.
    fn find(&self, path: &str) -> Option<usize>;
}

/// A route with its parameters in other marks: `/users/:id` as `/users/{id}`.
fn marked(route: &str, (open, close): (&str, &str)) -> String {
    let segments = route.split('/').map(|segment| match segment.chars().next() {
        Some(':') => format!("{open}{}{close}", &segment[1..]),
        Some('*') => format!("{open}{segment}{close}"),
        _ => segment.to_string(),
    });
    segments.collect::<Vec<_>>().join("/")
}

fn lines(directory: &str, set: &str, kind: &str) -> Vec<String> {
    let path = format!("{directory}/{set}.{kind}");
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines().map(str::to_string).collect()
}

/// The lowest figure of several rounds, as many as there is time for, in nanoseconds for each of `count`.
fn lowest<T>(rounds: u32, count: usize, mut work: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let begin = Instant::now();
        let made = black_box(work());
        least = least.min(begin.elapsed().as_nanos() as f64 / count as f64);
        drop(made);
        if start.elapsed() > TIME {
            break;
        }
    }
    least
}

fn measure<R: Router>(directory: &str, set: &str) -> Result<(), String> {
    let routes = lines(directory, set, "routes");
    let routes: Vec<String> = routes.iter().map(|route| marked(route, R::MARKS)).collect();
    let paths = lines(directory, set, "paths");
    let expected = lines(directory, set, "expected");
    let before = ALLOCATED.load(Relaxed);
    let router = R::build(&routes)?;
    let memory = ALLOCATED.load(Relaxed) - before;
    for (path, number) in paths.iter().zip(&expected) {
        if router.find(path).map(|found| found.to_string()).as_ref() != Some(number) {
            return Err(format!("takes another route for {path}"));
        }
    }
    let matching = lowest(ROUNDS, paths.len(), || {
        for path in &paths {
            black_box(router.find(black_box(path)));
        }
    });
    let building = lowest(BUILDS, routes.len(), || R::build(&routes));
    println!("match.{set}\t{}\t{matching:.2}", R::NAME);
    println!("build.{set}\t{}\t{building:.2}", R::NAME);
    println!("memory.{set}\t{}\t{:.2}", R::NAME, memory as f64 / routes.len() as f64);
    Ok(())
}

/// Measures a router on the sets that the arguments name: <data> <set>…
pub fn run<R: Router>() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for set in &arguments[1..] {
        if let Err(reason) = measure::<R>(&arguments[0], set) {
            println!("# skipped: {} on {set} ({reason})", R::NAME);
        }
    }
}
