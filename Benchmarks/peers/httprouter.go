// Matching with httprouter, on the route sets that datasets.py writes.
package main

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/julienschmidt/httprouter"
)

const rounds = 15

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

func report(work string, figure float64) {
	fmt.Printf("%s\thttprouter\t%.2f\n", work, figure)
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func build(set string, routes []string) *httprouter.Router {
	handle := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	before := heap()
	begin := time.Now()
	router := httprouter.New()
	for _, route := range routes {
		router.GET(route, handle)
	}
	took := time.Since(begin)
	if set == "deep10k" {
		report("build.time", float64(took.Nanoseconds())/float64(len(routes)))
		report("build.memory", float64(heap()-before)/float64(len(routes)))
	}
	return router
}

func match(router *httprouter.Router, paths []string) float64 {
	lowest := math.Inf(1)
	for round := 0; round < rounds; round++ {
		begin := time.Now()
		for _, path := range paths {
			if handle, _, _ := router.Lookup("GET", path); handle == nil {
				panic("no match: " + path)
			}
		}
		lowest = math.Min(lowest, float64(time.Since(begin).Nanoseconds())/float64(len(paths)))
	}
	return lowest
}

func main() {
	for _, set := range os.Args[2:] {
		routes := readLines(os.Args[1] + "/" + set + ".routes")
		paths := readLines(os.Args[1] + "/" + set + ".paths")
		router := build(set, routes)
		report("match."+set, match(router, paths))
		runtime.KeepAlive(router)
	}
}
