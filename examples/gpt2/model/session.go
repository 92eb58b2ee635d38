package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"tandem/ops"
	"tandem/runtime"
)

// Session generates: it holds the keys and values of the tokens fed so far.
type Session struct {
	m     *Model
	cache []struct{ k, v ops.Floats } // [1, heads, context, dim] a layer
	fed   int                         // tokens in the cache
	one   *activations                // of a single token

	picked [together]*ops.Tensor[uint32] // what the steps pick, in turn
	inputs [together]*ops.Tensor[uint32] // the same as [1, 1]
	last   int                           // the one of them that was picked last: the next input
	token  uint32                        // the token that was returned last
}

// together is how many steps a fast device gets in one submit: between two submits it idles for
// some 30 µs.
const together = 4

// activations are what the layers write for some new tokens; every layer uses them again.
type activations struct {
	n                              int
	ids                            *ops.Tensor[uint32] // [1, n]
	x, norm, qkv, joined, hidden   ops.Floats          // [n, …]
	sum, terms                     ops.Floats          // for one token: x after attention, [1, width], and its terms, [heads, width]
	embedded, qkvHeads, joinedRows ops.Floats          // x, qkv and joined as [1, n, …]
	q, mixed                       ops.Floats          // [1, heads, n, dim]
	q3, mixed3                     ops.Floats          // the same as [heads, n, dim]
	lse                            ops.Floats
	last, final, logits            ops.Floats // of the last token: [1, width] twice, [1, vocabulary]
}

// activations returns activations for n tokens.
func (m *Model) activations(n int) (*activations, error) {
	c := m.Config
	a := &activations{n: n}
	make := func(shape ...int) ops.Floats { return ops.NewUninit[float32](m.dev, shape...) }
	a.ids = ops.NewUninit[uint32](m.dev, 1, n)
	a.x, a.norm, a.qkv, a.joined = make(n, c.Width), make(n, c.Width), make(n, 3*c.Width), make(n, c.Width)
	a.hidden = make(n, 4*c.Width)
	a.q, a.mixed = make(1, c.Heads, n, c.HeadDim()), make(1, c.Heads, n, c.HeadDim())
	a.lse = make(c.Heads, n)
	a.last, a.final, a.logits = make(1, c.Width), make(1, c.Width), make(1, c.Vocab)
	a.sum, a.terms = make(1, c.Width), make(c.Heads, c.Width)
	return a, firstError(
		reshape(&a.embedded, a.x, 1, n, c.Width), reshape(&a.qkvHeads, a.qkv, 1, n, 3*c.Width),
		reshape(&a.joinedRows, a.joined, 1, n, c.Width),
		reshape(&a.q3, a.q, c.Heads, n, c.HeadDim()), reshape(&a.mixed3, a.mixed, c.Heads, n, c.HeadDim()))
}

// reshape stores x under another shape in y.
func reshape(y *ops.Floats, x ops.Floats, shape ...int) (err error) {
	*y, err = x.Reshape(shape...)
	return err
}

// release gives the memory back.
func (a *activations) release() {
	for _, t := range []ops.Floats{a.x, a.norm, a.qkv, a.joined, a.hidden, a.q, a.mixed, a.lse, a.sum, a.terms, a.last, a.final, a.logits} {
		t.Release()
	}
	a.ids.Release()
}

// Session starts a session with an empty cache.
func (m *Model) Session() (*Session, error) {
	s := &Session{m: m}
	for i := range s.picked {
		var err error
		s.picked[i] = ops.New[uint32](m.dev, 1)
		if s.inputs[i], err = s.picked[i].Reshape(1, 1); err != nil {
			return nil, err
		}
	}
	s.cache = make([]struct{ k, v ops.Floats }, m.Layers)
	for i := range s.cache {
		c := &s.cache[i]
		c.k = ops.NewUninit[float32](m.dev, 1, m.Heads, m.Context, m.HeadDim())
		c.v = ops.NewUninit[float32](m.dev, 1, m.Heads, m.Context, m.HeadDim())
		if err := firstError(c.k.View().Err(), c.v.View().Err()); err != nil {
			return nil, err
		}
	}
	var err error
	s.one, err = m.activations(1)
	return s, err
}

// Release gives the session's memory back.
func (s *Session) Release() {
	for _, c := range s.cache {
		c.k.Release()
		c.v.Release()
	}
	s.one.release()
	for _, t := range s.picked {
		t.Release()
	}
}

// Fed returns the number of tokens in the cache.
func (s *Session) Fed() int { return s.fed }

// Reset empties the cache.
func (s *Session) Reset() { s.fed = 0 }

// Pick chooses a token from logits, shape [1, vocabulary], into token.
type Pick func(on runtime.Target, logits ops.Floats, token *ops.Tensor[uint32]) error

// Greedy picks the most likely token.
func Greedy(on runtime.Target, logits ops.Floats, token *ops.Tensor[uint32]) error {
	return ops.ArgMax(on, logits, token)
}

// Prompt feeds tokens, picks the one that follows and returns it.
func (s *Session) Prompt(ctx context.Context, tokens []uint32, pick Pick) (uint32, error) {
	if err := s.m.checkTokens(tokens); err != nil {
		return 0, err
	}
	a, err := s.m.activations(len(tokens))
	if err != nil {
		return 0, err
	}
	defer a.release()
	if err := a.ids.Write(tokens); err != nil {
		return 0, err
	}
	return s.step(ctx, a, pick)
}

var errNoPrompt = errors.New("gpt2: Next without a Prompt before it")

// Next feeds the token picked last, picks the one that follows and returns it: one
// submit, and 4 bytes read.
func (s *Session) Next(ctx context.Context, pick Pick) (uint32, error) {
	if s.fed == 0 {
		return 0, errNoPrompt
	}
	return s.step(ctx, s.one, pick)
}

// checkTokens returns an error unless there are tokens and all are in the vocabulary.
func (m *Model) checkTokens(tokens []uint32) error {
	if len(tokens) == 0 {
		return fmt.Errorf("gpt2: no tokens")
	}
	for i, t := range tokens {
		if int(t) >= m.Vocab {
			return fmt.Errorf("gpt2: token %d of %d is %d, and the vocabulary has %d", i, len(tokens), t, m.Vocab)
		}
	}
	return nil
}

// step runs the model over new tokens and picks the next.
func (s *Session) step(ctx context.Context, a *activations, pick Pick) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	sent, err := s.send(a, 1, pick)
	if err != nil {
		return 0, err
	}
	if err := sent.reading.Wait(ctx); err != nil {
		s.rewind(sent.fed, s.token)
		return 0, err
	}
	s.token = sent.tokens[0]
	return s.token, nil
}

// steps are steps that were sent to the device.
type steps struct {
	fed     int      // tokens in the cache before them
	first   int      // and after the first of them
	tokens  []uint32 // what they pick, once it is read
	reading *runtime.Reading
}

// send sends a step over new tokens to the device, and those that follow, count steps in all or as
// many as the context has room for, in one submit, and does not wait for them.
func (s *Session) send(a *activations, count int, pick Pick) (*steps, error) {
	fed, last := s.fed, s.last
	if fed+a.n > s.m.Context {
		return nil, fmt.Errorf("gpt2: %d tokens after %d are more than the context of %d", a.n, fed, s.m.Context)
	}
	count = min(count, 1+s.m.Context-fed-a.n)
	sent := &steps{fed: fed, first: fed + a.n, tokens: make([]uint32, count)}
	var regions []runtime.Region
	scope := s.m.dev.Scope()
	err := s.record(scope, a, pick)
	for i := range count {
		if i > 0 && err == nil {
			err = s.record(scope, s.one, pick)
		}
		regions = append(regions, runtime.Into(s.picked[s.last], sent.tokens[i:i+1]))
	}
	if err == nil {
		sent.reading, err = runtime.StartReading(regions...)
	}
	if err := firstError(err, scope.Submit()); err != nil {
		s.fed, s.last = fed, last
		return nil, err
	}
	return sent, nil
}

// rewind makes the session as it was when fed tokens were in the cache and token was picked: the steps
// since were sent for nothing.
func (s *Session) rewind(fed int, token uint32) {
	s.fed, s.token = fed, token
	s.picked[s.last].Write([]uint32{token}) // an error of the device sticks to it: Next returns it
}

// Continue returns the n tokens that follow, each fed as soon as it is picked: while some are on
// their way here, the device already computes the next. Afterwards, also where the caller stops
// early or ctx is canceled, Next goes on behind the last one returned.
func (s *Session) Continue(ctx context.Context, n int, pick Pick) iter.Seq2[uint32, error] {
	return func(yield func(uint32, error) bool) {
		if n < 1 {
			return
		}
		if s.fed == 0 {
			yield(0, errNoPrompt)
			return
		}
		next, err := s.send(s.one, 1, pick)
		start, count := time.Now(), 1
		for err == nil {
			n -= len(next.tokens)
			var after *steps
			if n > 0 {
				after, err = s.send(s.one, min(count, n), pick) // its error comes behind the tokens before it
			}
			if failed := next.reading.Wait(ctx); failed != nil {
				s.rewind(next.fed, s.token)
				err = failed
				break
			}
			for i, token := range next.tokens {
				s.token = token
				more, end := yield(token, nil), i == len(next.tokens)-1 && err == nil && after == nil
				if !more && !end {
					s.rewind(next.first+i, token)
				}
				if !more || end {
					return
				}
			}
			if count = 1; time.Since(start) < time.Duration(len(next.tokens))*2*time.Millisecond {
				count = together
			}
			start, next = time.Now(), after
		}
		yield(0, err)
	}
}

// record launches a step over a's tokens, which follow those fed before, and picks the next.
func (s *Session) record(on runtime.Target, a *activations, pick Pick) error {
	ids := a.ids
	if a == s.one {
		ids = s.inputs[s.last]
	}
	to := (s.last + 1) % together
	if err := firstError(s.layers(on, a, ids), pick(on, a.logits, s.picked[to])); err != nil {
		return err
	}
	s.fed, s.last = s.fed+a.n, to
	return nil
}

// layers launches the model over a's tokens, which are ids.
func (s *Session) layers(on runtime.Target, a *activations, ids *ops.Tensor[uint32]) error {
	m, w := s.m, s.m.Weights
	err := ops.Embed(on, s.fed, ids, w.tokens, w.positions, a.embedded)
	x, sum := a.x, a.sum
	for i := range w.blocks {
		if err != nil {
			return err
		}
		b, cache := &w.blocks[i], s.cache[i]
		keys, err1 := cache.k.Reshape(m.Heads, m.Context, m.HeadDim())
		values, err2 := cache.v.Reshape(m.Heads, m.Context, m.HeadDim())
		if err := firstError(err, err1, err2); err != nil {
			return err
		}
		if err := ops.NormQKV(on, s.fed, m.normed(b.norm1), x, b.qkv.w, b.qkv.b, a.norm, a.qkvHeads, a.q, cache.k, cache.v); err != nil {
			return err
		}
		if a.n == 1 {
			err, x, sum = s.attendOne(on, a, b, keys, values, x, sum), sum, x
		} else {
			err = s.attendAll(on, a, b, keys, values, x)
		}
		if err == nil {
			err = ops.Matmul(on, ops.Product{Bias: b.down.b, Accumulate: true}, a.hidden, b.down.w, x)
		}
	}
	if err != nil {
		return err
	}
	last := x
	if a.n > 1 { // Only the last token's logits are wanted. Its row is copied: a view of it may start where the device cannot bind it.
		last, err = a.last, ops.CopyRow(on, a.n-1, x, a.last)
	}
	return firstError(err,
		ops.LayerNorm(on, m.Epsilon, last, w.norm.w, w.norm.b, a.final),
		ops.Matmul(on, ops.Product{TransposeB: true}, a.final, w.tokens, a.logits))
}

// attendOne launches a block, of a single token, from its attention to its hidden layer, and writes the sum of x and the attention
// to sum.
func (s *Session) attendOne(on runtime.Target, a *activations, b *block, keys, values, x, sum ops.Floats) error {
	return firstError(
		ops.AttentionTerms(on, s.fed+1, a.q3, keys, values, b.join.w, b.join.b, a.terms),
		ops.TermsNormMatmul(on, s.m.normed(b.norm2), x, a.terms, b.up.w, b.up.b, true, sum, a.norm, a.hidden))
}

// attendAll launches the same for several tokens, and adds the attention to x.
func (s *Session) attendAll(on runtime.Target, a *activations, b *block, keys, values, x ops.Floats) error {
	return firstError(
		ops.Attention(on, s.fed+a.n, a.q3, keys, values, a.mixed3, a.lse),
		ops.MergeHeads(on, 0, a.mixed, a.joinedRows),
		ops.Matmul(on, ops.Product{Bias: b.join.b, Accumulate: true}, a.joined, b.join.w, x),
		ops.NormMatmul(on, s.m.normed(b.norm2), x, b.up.w, b.up.b, true, a.norm, a.hidden))
}

// normed returns a normalisation in front of a product.
func (m *Model) normed(n affine) ops.Normed {
	return ops.Normed{Epsilon: m.Epsilon, Weight: n.w, Bias: n.b}
}
