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

/** Ids of the responses so far: without them every status is a 404. */
export interface KnownIds {
  readonly batches: string[];
  readonly documents: string[];
}

const OPTIONAL_SENT = { weight: 1, arbitrary: fc.constant(true) };
const OPTIONAL_LEFT_OUT = { weight: 1, arbitrary: fc.constant(false) };

/** Any request of the description: mostly one that it allows, with a mistake here and there. */
export function describedRequest(description: Description, known: KnownIds): fc.Arbitrary<GeneratedRequest> {
  const arbitraries = new SchemaArbitraries(description);
  // Those with more to say more often: there is little to find in a health check.
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
      // The failed assertion shows the rest; the operation alone fills pages.
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

/** Not empty and not dots, which would be another path. */
function toPathText(value: unknown): string {
  const text = encodeURIComponent(toText(value));
  return /^\.*$/.test(text) ? `-${text}` : text;
}

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // Half of a pair has no form in UTF-8.
  return text.replaceAll(/\p{Surrogate}/gu, '?');
}

function headersOf(parameters: readonly SentParameter[]): Record<string, string> {
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    // What HTTP itself does not let through never reaches the service.
    .map(({ name, value }) => [name, toText(value).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')]);
  const sent = Object.fromEntries(headers) as Record<string, string>;
  // The same one each time would make every request but one a replay.
  if (sent['idempotency-key'] !== undefined && sent['idempotency-key'].length % 8 !== 0)
    sent['idempotency-key'] = randomUUID();
  return sent;
}

/** Documents have new numbers, or all but the first would be duplicates; a cancel may name one that exists. */
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
