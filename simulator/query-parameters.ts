/** Invalid parameter. The response is 400 `BadArgument` with the parameter as `target`. */
export class ParameterRefusal extends Error {
  constructor(
    readonly target: string,
    message: string,
  ) {
    super(message);
  }
}

/** Time range in milliseconds, with both ends inclusive. */
export interface Span {
  from: number;
  to: number;
}

export const always: Readonly<Span> = { from: -Infinity, to: Infinity };

export function isWithin(instant: number, { from, to }: Span): boolean {
  return instant >= from && instant <= to;
}

const spanMsMax = 31 * 24 * 60 * 60_000;

/** Reads a pair such as `issueDateFrom` and `issueDateTo`. Both or neither are required, at most 31 days apart. */
export function readSpan(query: URLSearchParams, name: string): Span | undefined {
  const [from, to] = [readInstant(query, `${name}From`), readInstant(query, `${name}To`)];
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) {
    throw new ParameterRefusal(name, `${name}From and ${name}To must both be UTC date times`);
  }
  if (from >= to) throw new ParameterRefusal(`${name}From`, `${name}From must be before ${name}To`);
  if (to - from > spanMsMax) throw new ParameterRefusal(`${name}To`, 'The period is longer than 31 days');
  return { from, to };
}

export function readInstant(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(instant)) throw new ParameterRefusal(name, `${name} must be a UTC date time`);
  return instant;
}

/** Returns undefined if the parameter is missing or empty. */
export function readChoice(query: URLSearchParams, name: string, values: readonly string[]): string | undefined {
  const value = query.get(name);
  if (!value) return undefined;
  if (!values.includes(value)) throw new ParameterRefusal(name, `${name} must be one of ${values.join(', ')}`);
  return value;
}
