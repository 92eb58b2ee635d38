package ops_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLinksNoTraining: a program that imports only ops carries the shader it uses and none of training.
func TestLinksNoTraining(t *testing.T) {
	program := filepath.Join(t.TempDir(), "onlyops")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/onlyops").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	carries := func(file string) bool {
		shader, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(binary, shader)
	}
	if !carries("../gen/softmax.wgsl") {
		t.Error("the program does not carry the shader it uses: this test would find nothing")
	}
	shaders, err := filepath.Glob("../gen/train/*.wgsl")
	if err != nil || len(shaders) == 0 {
		t.Fatalf("no shaders of training: %v", err)
	}
	for _, file := range shaders {
		if carries(file) {
			t.Errorf("the program carries %s", file)
		}
	}
	if bytes.Contains(binary, []byte("tandem/gen/train")) || bytes.Contains(binary, []byte("tandem/ops/kernels/train")) {
		t.Error("the program links a package of training")
	}
}
