import type { SimplifiedDocument } from './simplified-document.js';

/** Brings a stored payload from one form to the next. */
type Upcast = (payload: unknown) => unknown;

/**
 * A step for each change of `SimplifiedDocument` that stored payloads do not have: the first brings version 1 to
 * version
 * 2. Steps are never changed once they have landed, since every payload that was ever stored takes them.
 *
 * Version 2 tells exempted tax from charged tax, and knows taxes by unit; what does not apply is left out. So a payload
 * of version 1 is one of version 2 as it stands, with the tax of a line of type `E` charged: such a document keeps the
 * totals that its status shows. It is a version all the same, because an older build would charge what version 2
 * exempts. Version 3 has payment terms, which an older build would leave out of the authority's document. Version 4 has
 * the stated tax rate of a line; an older build would calculate the rate from the tax.
 */
const UPCASTS: readonly Upcast[] = [(payload) => payload, (payload) => payload, (payload) => payload];

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
