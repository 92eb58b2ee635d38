package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tandem/codegen/load"
)

// output is a folder that generated files go to.
type output struct {
	dir, path string // folder and import path
	command   string // what generates the files again, in the module's root
}

// outputs finds where the files of packages go.
type outputs struct {
	out   string                         // -out, "" for none
	known map[string]map[string][]string // module → source folder → folders generated from it
}

func newOutputs(out string) *outputs {
	return &outputs{out: out, known: map[string]map[string][]string{}}
}

// of returns where the files of a package go: where -out says, or where they
// were generated before, or the default.
func (o *outputs) of(f load.Folder) (output, error) {
	dir := o.out
	if dir == "" {
		before, err := o.before(f)
		if err != nil {
			return output{}, err
		}
		if dir = before; dir == "" {
			dir = defaultOutput(f)
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return output{}, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return output{}, fmt.Errorf("%s is a file: name a folder with -out", relative(dir))
	}
	dir, root := resolve(dir), resolve(f.Root)
	at := sourceFolder(root, dir)
	if at == ".." || strings.HasPrefix(at, "../") {
		return output{}, fmt.Errorf("%s: the output folder is outside of the module in %s: choose one inside with -out", relative(dir), relative(f.Root))
	}
	here := sourceFolder(root, resolve(f.Dir))
	result := output{dir: dir, path: path.Join(strings.TrimSuffix(f.Path, "/"+here), at), command: "tandem generate"}
	if dir != resolve(defaultOutput(f)) {
		result.command += " -out " + at
	}
	result.command += " ./" + strings.TrimPrefix(here, ".")
	return result, nil
}

// defaultOutput is a folder gen beside the package's; nothing of a module lies
// beside its root, whose gen is inside.
func defaultOutput(f load.Folder) string {
	if resolve(f.Dir) == resolve(f.Root) {
		return filepath.Join(f.Dir, "gen")
	}
	return filepath.Join(filepath.Dir(f.Dir), "gen")
}

// before returns the folder that has files generated from a package, "" if
// there is none.
func (o *outputs) before(f load.Folder) (string, error) {
	dirs := o.generated(f.Root)[sourceFolder(f.Root, f.Dir)]
	if len(dirs) > 1 {
		return "", fmt.Errorf("%s was generated into both %s and %s: say which with -out, and remove the other", relative(f.Dir), relative(dirs[0]), relative(dirs[1]))
	}
	return strings.Join(dirs, ""), nil
}

// generated returns the folders of a module that have generated files, by the folder of the sources.
func (o *outputs) generated(root string) map[string][]string {
	if o.known[root] == nil {
		o.known[root] = generatedIn(root)
	}
	return o.known[root]
}

// generatedIn returns the folders of a module that have generated files, by the
// folder of the sources.
func generatedIn(root string) map[string][]string {
	found := map[string]map[string]bool{}
	filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read has nothing of ours
		case d.IsDir() && name != root && load.Skipped(name):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		if from := originOf([]byte(firstLine(name))); from != "" {
			folder := path.Dir(from)
			if found[folder] == nil {
				found[folder] = map[string]bool{}
			}
			found[folder][filepath.Dir(name)] = true
		}
		return nil
	})
	all := map[string][]string{}
	for folder, dirs := range found {
		all[folder] = slices.Sorted(maps.Keys(dirs))
	}
	return all
}

func firstLine(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n') // a file without a line has none of ours
	return line
}

// resolve follows links of a folder that may not exist yet.
func resolve(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir
	}
	return filepath.Join(resolve(parent), filepath.Base(dir))
}

// sourceFolder is the folder of a package as positions show it.
func sourceFolder(root, dir string) string {
	at, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(at)
}

// relative names a file or folder as seen from the working folder.
func relative(name string) string {
	here, err := os.Getwd()
	if err != nil {
		return name
	}
	at, err := filepath.Rel(resolve(here), resolve(name))
	if err != nil || strings.HasPrefix(at, filepath.Join("..", "..", "..")) {
		return name
	}
	return at
}
