// Checks WGSL with Tint: one JSON string a line in, one JSON array of messages a line out.
// Answers go to file 3, since Dawn writes warnings of its own to standard output.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(process.argv[1] + '/webgpu/index.js'));
Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
globalThis.keep = [gpu, adapter, device]; // what is collected takes the process with it

writeSync(3, 'ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: JSON.parse(line) });
  const info = await module.getCompilationInfo();
  const messages = info.messages.map(m => ({ type: m.type, line: m.lineNum, col: m.linePos, text: m.message }));
  const error = await device.popErrorScope();
  if (error && !messages.some(m => m.type === 'error')) {
    messages.push({ type: 'error', line: 0, col: 0, text: error.message });
  }
  writeSync(3, JSON.stringify(messages) + '\n');
}
process.exit(0);
