import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Description, JsonSchema, Operation, Parameter } from '../../sandbox-suite/description.js';
import { SchemaArbitraries } from './arbitraries.js';

export interface GeneratedRequest {
  readonly operation: Operation;
  readonly pathname: string;
  readonly hasKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Ids from earlier responses. Without them, every status request returns 404. */
export interface KnownIds {
  readonly batches: string[];
  readonly documents: string[];
}

const OPTIONAL_SENT = { weight: 1, arbitrary: fc.constant(true) };
const OPTIONAL_LEFT_OUT = { weight: 1, arbitrary: fc.constant(false) };

/** Generates mostly valid requests with occasional mistakes. */
export function describedRequest(description: Description, known: KnownIds): fc.Arbitrary<GeneratedRequest> {
  const arbitraries = new SchemaArbitraries(description);
  // Prefers operations with more parameters.
  return fc.oneof(
    ...description.operations.map((operation) => ({
      weight: Math.max(1, operation.parameters.length),
      arbitrary: requestOf(operation, arbitraries, known),
    })),
  );
}

function requestOf(
  operation: Operation,
  arbitraries: SchemaArbitraries,
  known: KnownIds,
): fc.Arbitrary<GeneratedRequest> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const parameters = fc.tuple(...operation.parameters.map((parameter) => valueOf(parameter, arbitraries)));
  const body = schema === undefined ? fc.constant(undefined) : bodyOf(schema, arbitraries);
  const choice = fc.record({
    parameters,
    body,
    pick: fc.nat(),
    isKnownId: fc.boolean(),
    isBodyCut: rarely(),
    hasNoKey: rarely(),
  });
  return choice.map(({ parameters: values, body: sent, pick, isKnownId, isBodyCut, hasNoKey }) => {
    const named = operation.parameters.map((parameter, index) => ({ ...parameter, value: values[index] }));
    const sentOnes = named.filter((parameter) => parameter.value !== undefined);
    const ids = isKnownId ? known : { batches: [], documents: [] };
    const text = sent === undefined ? undefined : JSON.stringify(withKnownDocument(sent, ids.documents, pick));
    return {
      operation,
      pathname: pathOf(operation, sentOnes, ids.batches[pick % ids.batches.length]),
      hasKey: !hasNoKey,
      headers: headersOf(sentOnes),
      body: isBodyCut ? text?.slice(0, -1) : text,
      // The failed assertion shows the rest of the request.
      [fc.toStringMethod]: () => `${operation.method} ${operation.path}`,
    };
  });
}

type SentParameter = Parameter & { readonly value: unknown };

function rarely(): fc.Arbitrary<boolean> {
  return fc.nat(99).map((value) => value === 0);
}

function bodyOf(schema: JsonSchema, arbitraries: SchemaArbitraries): fc.Arbitrary<unknown> {
  return arbitraries.from(schema).map((value) => value ?? null);
}

function valueOf(parameter: Parameter, arbitraries: SchemaArbitraries): fc.Arbitrary<unknown> {
  const value = arbitraries.from(parameter.schema);
  if (parameter.in === 'path') return value;
  const isSent =
    parameter.required === true ? fc.nat(49).map((drawn) => drawn !== 0) : fc.oneof(OPTIONAL_SENT, OPTIONAL_LEFT_OUT);
  return fc.tuple(isSent, value).map(([sent, drawn]) => (sent ? drawn : undefined));
}

function pathOf({ path }: Operation, parameters: readonly SentParameter[], batchId: string | undefined): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, value, schema }) => {
      const own = batchId !== undefined && schema.format === 'uuid' ? batchId : toPathText(value);
      return text.replace(`{${name}}`, () => own);
    }, path);
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, value }): [string, string] => [name, toText(value)]),
  ).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

/** An empty text or dots would change the path. */
function toPathText(value: unknown): string {
  const text = encodeURIComponent(toText(value));
  return /^\.*$/.test(text) ? `-${text}` : text;
}

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // UTF-8 cannot encode a lone surrogate.
  return text.replaceAll(/\p{Surrogate}/gu, '?');
}

function headersOf(parameters: readonly SentParameter[]): Record<string, string> {
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    // HTTP does not transmit other characters.
    .map(({ name, value }) => [name, toText(value).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')]);
  const sent = Object.fromEntries(headers) as Record<string, string>;
  // With a constant key, all requests but the first would be replays.
  if (sent['idempotency-key'] !== undefined && sent['idempotency-key'].length % 8 !== 0)
    sent['idempotency-key'] = randomUUID();
  return sent;
}

/** Gives documents new numbers to avoid duplicates, and may cancel an existing document. */
function withKnownDocument(body: unknown, documentIds: readonly string[], pick: number): unknown {
  if (body === null || typeof body !== 'object') return body;
  if ('documentId' in body && documentIds.length > 0)
    return { ...body, documentId: documentIds[pick % documentIds.length] };
  if (!('documents' in body) || !Array.isArray(body.documents) || pick % 4 === 0) return body;
  return { ...body, documents: body.documents.map((document, index) => withNewNumber(document, index, pick)) };
}

function withNewNumber(document: unknown, index: number, pick: number): unknown {
  if (document === null || typeof document !== 'object' || !('referenceId' in document)) return document;
  return { ...document, referenceId: `FUZZ-${pick}-${index}` };
}
