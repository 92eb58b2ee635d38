package cpudev

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// smallBuffer is a size that is had without asking: reading the system's figures
// takes longer than a small allocation.
const smallBuffer = 64 << 20

// room reports whether size bytes of memory can be had, and how many are free.
// Where the system does not say, everything is believed to fit.
func room(size int64) (free int64, ok bool) {
	if size < smallBuffer {
		return 0, true
	}
	free, known := freeMemory()
	return free, !known || size <= free
}

// freeMemory returns the memory that the system could give, and whether it says.
func freeMemory() (int64, bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) >= 2 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
