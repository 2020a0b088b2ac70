import type { SimplifiedDocument } from './simplified-document.js';

/** Brings a stored payload from one form to the next. */
type Upcast = (payload: unknown) => unknown;

/**
 * A step for each change of `SimplifiedDocument` that stored payloads do not have: the first brings version 1 to version
 * 2. Steps are never changed once they have landed, since every payload that was ever stored takes them.
 */
const UPCASTS: readonly Upcast[] = [chargeExemptedTax];

/**
 * Version 2 tells exempted tax from charged tax, and knows taxes by unit. In version 1 the tax of a line of type `E` is
 * charged: such a document keeps the totals that its status shows.
 */
function chargeExemptedTax(payload: unknown): unknown {
  const { lineItems } = (payload ?? {}) as { readonly lineItems?: unknown };
  // What lacks its lines is left as it is: whoever builds it says so.
  if (!Array.isArray(lineItems)) return payload;
  const lines = lineItems.map((line: object) => ({ ...line, exemptedTaxAmount: null, unitTax: null }));
  return { ...(payload as object), lineItems: lines };
}

/** The form in which payloads are stored today. */
export const PAYLOAD_VERSION = UPCASTS.length + 1;

/** A payload of a later build: it cannot be read here, and there is nothing wrong with it. */
export class NewerPayloadError extends Error {
  constructor(version: number) {
    super(`The document was accepted by a newer build of this service (payload version ${version})`);
  }
}

/**
 * A stored payload in today's form.
 * @param version the form in which it was stored
 * @throws NewerPayloadError when it is of a later build
 */
export function readPayload(payload: unknown, version: number, upcasts = UPCASTS): SimplifiedDocument {
  if (version > upcasts.length + 1) throw new NewerPayloadError(version);
  const today = upcasts.slice(version - 1).reduce((older, upcast) => upcast(older), payload);
  return today as SimplifiedDocument;
}
