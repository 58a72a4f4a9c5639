// Matching with httprouter, on the route sets that datasets.py writes.
package main

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"
)

const (
	rounds  = 15
	builds  = 5
	timeFor = 300 * time.Millisecond
)

func readLines(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	var lines []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	return lines
}

func report(work, set string, figure float64) {
	fmt.Printf("%s.%s\thttprouter\t%.2f\n", work, set, figure)
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// The number of the route whose handle ran last.
var found int

// A router with these routes, or why it refuses them.
func build(routes []string) (router *httprouter.Router, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	router = httprouter.New()
	for number, route := range routes {
		number := number
		router.GET(route, func(http.ResponseWriter, *http.Request, httprouter.Params) { found = number })
	}
	return router, nil
}

// The lowest of several rounds, as many as there is time for, in nanoseconds for each of count.
func lowest(rounds, count int, work func()) float64 {
	start, least := time.Now(), math.Inf(1)
	for round := 0; round < rounds && (round == 0 || time.Since(start) < timeFor); round++ {
		begin := time.Now()
		work()
		least = math.Min(least, float64(time.Since(begin).Nanoseconds())/float64(count))
	}
	return least
}

func check(router *httprouter.Router, paths, expected []string) error {
	for i, path := range paths {
		handle, parameters, _ := router.Lookup("GET", path)
		if handle == nil {
			return fmt.Errorf("no route for %s", path)
		}
		if handle(nil, nil, parameters); strconv.Itoa(found) != expected[i] {
			return fmt.Errorf("takes another route for %s", path)
		}
	}
	return nil
}

func measure(directory, set string) error {
	routes := readLines(directory + "/" + set + ".routes")
	paths := readLines(directory + "/" + set + ".paths")
	before := heap()
	router, err := build(routes)
	if err != nil {
		return err
	}
	memory := heap() - before
	if err := check(router, paths, readLines(directory+"/"+set+".expected")); err != nil {
		return err
	}
	report("match", set, lowest(rounds, len(paths), func() {
		for _, path := range paths {
			if handle, _, _ := router.Lookup("GET", path); handle == nil {
				panic("no match: " + path)
			}
		}
	}))
	if _, err := os.Stat(directory + "/" + set + ".misses"); err == nil {
		misses := readLines(directory + "/" + set + ".misses")
		report("miss", set, lowest(rounds, len(misses), func() {
			for _, path := range misses {
				if handle, _, _ := router.Lookup("GET", path); handle != nil {
					panic("a match: " + path)
				}
			}
		}))
	}
	report("build", set, lowest(builds, len(routes), func() { build(routes) }))
	report("memory", set, float64(memory)/float64(len(routes)))
	runtime.KeepAlive(router)
	return nil
}

func main() {
	for _, set := range os.Args[2:] {
		if err := measure(os.Args[1], set); err != nil {
			fmt.Printf("# skipped: httprouter on %s (%v)\n", set, err)
		}
	}
}
