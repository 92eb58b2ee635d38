"""PyTorch's figures for `tandem bench`: one JSON object a line, {name, unit, value}.

Usage: python3 bench/pytorch.py [group ...]; groups: bandwidth matmul rows attention gpt2.
Everything is float32 without TF32, on random data, the median of several runs timed by
device events. A group whose package is missing prints nothing and says so on stderr.
"""
import json
import sys

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
dev = torch.device("cuda")


def timed(f, times):
    """The time of f, of several times over."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(times):
        f()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3 / times


def seconds(f, runs=15):
    """The median time of f, after three runs that do not count. What is short runs up to 20 times over, for 2 ms."""
    once = [timed(f, 1) for _ in range(3)][-1]
    times = min(max(int(2e-3 / once), 1), 20)
    return sorted(timed(f, times) for _ in range(runs))[runs // 2]


def say(name, unit, value):
    print(json.dumps({"name": name, "unit": unit, "value": value}), flush=True)


def bandwidth():
    n = 1 << 27
    x, y = torch.randn(n, device=dev), torch.randn(n, device=dev)
    z = torch.empty_like(x)
    say("copy 2^27", "GB/s", 8 * n / seconds(lambda: z.copy_(x)) / 1e9)
    say("add 2^27", "GB/s", 12 * n / seconds(lambda: torch.add(x, y, out=z)) / 1e9)
    say("saxpy 2^27", "GB/s", 12 * n / seconds(lambda: y.add_(x, alpha=1e-6)) / 1e9)
    say("gelu 2^27", "GB/s", 8 * n / seconds(lambda: torch.nn.functional.gelu(x, approximate="tanh")) / 1e9)
    say("sum 2^27", "GB/s", 4 * n / seconds(lambda: x.sum()) / 1e9)
    say("scan 2^27", "GB/s", 8 * n / seconds(lambda: torch.cumsum(x, 0, out=z)) / 1e9)
    m = torch.randn(8192, 8192, device=dev)
    say("transpose 8192", "GB/s", 8 * 8192 * 8192 / seconds(lambda: m.t().contiguous()) / 1e9)


def matmul():
    for n in (1024, 2048, 4096):
        a, b, c = (torch.randn(n, n, device=dev) for _ in range(3))
        say(f"matmul {n}", "TFLOP/s", 2 * n**3 / seconds(lambda: torch.mm(a, b, out=c)) / 1e12)
    w, x, y = torch.randn(8192, 8192, device=dev), torch.randn(8192, device=dev), torch.empty(8192, device=dev)
    say("gemv 8192", "GB/s", 4 * 8192 * 8192 / seconds(lambda: torch.mv(w, x, out=y)) / 1e9)


def rows():
    for cols in (4096, 50257):
        x = torch.randn(8192, cols, device=dev)
        w, b = torch.randn(cols, device=dev), torch.randn(cols, device=dev)
        moved = 8 * x.numel()
        say(f"softmax 8192x{cols}", "GB/s", moved / seconds(lambda: torch.softmax(x, -1)) / 1e9)
        say(f"layernorm 8192x{cols}", "GB/s", moved / seconds(lambda: torch.nn.functional.layer_norm(x, (cols,), w, b)) / 1e9)
        say(f"rmsnorm 8192x{cols}", "GB/s", moved / seconds(lambda: torch.nn.functional.rms_norm(x, (cols,), w)) / 1e9)
        target = torch.randint(0, cols, (8192,), device=dev)
        say(f"crossentropy 8192x{cols}", "GB/s", 4 * x.numel() / seconds(lambda: torch.nn.functional.cross_entropy(x, target)) / 1e9)
        del x


def attention():
    q, k, v = (torch.randn(8, 12, 2048, 64, device=dev) for _ in range(3))
    f = torch.nn.functional.scaled_dot_product_attention
    say("attention 8x12x2048x64", "ms", 1e3 * seconds(lambda: f(q, k, v, is_causal=True)))


def gpt2():
    import time

    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config()).to(dev).eval()
    ids = torch.randint(0, 50257, (1, 16), device=dev)
    with torch.no_grad():
        model.generate(ids, max_new_tokens=8, do_sample=False, pad_token_id=0)
        torch.cuda.synchronize()
        start = time.time()
        out = model.generate(ids, max_new_tokens=128, min_new_tokens=128, do_sample=False, pad_token_id=0)
        torch.cuda.synchronize()
        say("gpt2 decode", "tokens/s", (out.shape[1] - 16) / (time.time() - start))
    model = GPT2LMHeadModel(GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)).to(dev).train()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for batch, length in ((4, 256), (8, 1024)):
        ids = torch.randint(0, 50257, (batch, length), device=dev)

        def step():
            opt.zero_grad(set_to_none=True)
            model(ids, labels=ids).loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()

        say(f"gpt2 train {batch}x{length}", "ms", 1e3 * seconds(step, 7))


groups = {"bandwidth": bandwidth, "matmul": matmul, "rows": rows, "attention": attention, "gpt2": gpt2}
for name in sys.argv[1:] or groups:
    try:
        groups[name]()
    except Exception as e:  # one group's failure is not the others'
        print(f"pytorch.py: {name}: {e}", file=sys.stderr)
