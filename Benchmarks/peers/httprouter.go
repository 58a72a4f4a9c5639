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

const (
	rounds = 15
	builds = 5
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

func report(work string, figure float64) {
	fmt.Printf("%s\thttprouter\t%.2f\n", work, figure)
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func build(routes []string) (*httprouter.Router, float64) {
	handle := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	begin := time.Now()
	router := httprouter.New()
	for _, route := range routes {
		router.GET(route, handle)
	}
	return router, float64(time.Since(begin).Nanoseconds()) / float64(len(routes))
}

func measureBuild(routes []string) {
	lowest := math.Inf(1)
	for round := 0; round < builds; round++ {
		before := heap()
		router, took := build(routes)
		lowest = math.Min(lowest, took)
		if round == builds-1 {
			report("build.time", lowest)
			report("build.memory", float64(heap()-before)/float64(len(routes)))
		}
		runtime.KeepAlive(router)
	}
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
		router, _ := build(routes)
		report("match."+set, match(router, paths))
		if set == "deep10k" {
			measureBuild(routes)
		}
	}
}
