// Attacker of neighbours.check.ts. It is a separate process so that its CPU time does not count as the service's.
// Usage: node attacker.mjs TASK, where TASK is a JSON file
// { url, connections, requests: [{ method, path, headers, body }], isSilent }.
// Each connection sends the requests in a loop and ignores the responses. The attacker replaces %id% by a new id and
// %digits% by random digits, and If-None-Match by the latest ETag. With isSilent, it sends only the start of a request.
// It prints "started", then "limited" after the first 429, and on SIGTERM the number of each response as JSON.
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';

const PAUSE_AFTER_ERROR_MS = 100;

const { url, connections, requests, isSilent = false } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const responses = {};
const tags = new Map();

function count(name) {
  responses[name] = (responses[name] ?? 0) + 1;
  if (name.startsWith('429') && responses[name] === 1) process.stdout.write('limited\n');
}

const fill = (text) =>
  text.includes('%')
    ? text.replaceAll('%id%', () => randomUUID()).replaceAll('%digits%', () => String(randomInt(1e9, 1e10)))
    : text;

function send(template) {
  const { method, path, body } = template;
  const headers = Object.fromEntries(Object.entries(template.headers).map(([name, value]) => [name, fill(value)]));
  if ('If-None-Match' in headers) headers['If-None-Match'] = tags.get(template) ?? '"none"';
  return new Promise((resolve) => {
    const request = http.request(url + fill(path), { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += text.length < 10_000 ? chunk : ''));
      response.on('error', () => resolve(false));
      response.on('end', () => {
        if (response.headers.etag !== undefined) tags.set(template, response.headers.etag);
        const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
        count(`${response.statusCode} ${code}`.trim());
        resolve(true);
      });
    });
    request.on('error', () => {
      count('no response');
      resolve(false);
    });
    request.end(body === undefined ? undefined : fill(body));
  });
}

async function attack(first) {
  for (let next = first; ; next += 1) {
    if (await send(requests[next % requests.length])) continue;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
  }
}

function beginSilently() {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname, () =>
    socket.write('GET /api/health/live HTTP/1.1\r\nHost: x\r\nX-A: '),
  );
  socket.on('data', (chunk) => count(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1] ?? 'more'));
  socket.on('error', () => count('no response'));
  socket.on('close', () => setTimeout(beginSilently, PAUSE_AFTER_ERROR_MS));
}

process.once('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(responses)}\n`, () => process.exit(0));
});
for (let index = 0; index < connections; index += 1) {
  if (isSilent) beginSilently();
  else void attack(index);
}
process.stdout.write('started\n');
