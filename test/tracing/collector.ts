import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly linkedTraceIds: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan extends Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId'> {
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly { readonly traceId: string }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Starts an OTLP/JSON collector for one test. */
export async function startCollector(): Promise<{ readonly url: string; readonly spans: readonly CollectedSpan[] }> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    const isExport = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
    json(request).then(
      (body) => {
        if (isExport) spans.push(...readSpans(body as OtlpRequest));
        response.writeHead(isExport ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

function readSpans({ resourceSpans }: OtlpRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ links = [], attributes, ...span }) => ({
        ...span,
        service,
        linkedTraceIds: links.map((link) => link.traceId),
        attributes: readAttributes(attributes),
      }));
  });
}

function readAttributes(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
