import { findValueEnd, membersAt, minified } from '../json-text.js';

const signatureMembers = ['UBLExtensions', 'Signature'];

const propertiesPath = [
  'UBLExtensions',
  'UBLExtension',
  'ExtensionContent',
  'UBLDocumentSignatures',
  'SignatureInformation',
  'Signature',
  'Object',
  'QualifyingProperties',
];

export interface DigestedTexts {
  /** The document as it was before it was signed. */
  unsigned: string;
  /** The qualifying properties, with their target. */
  properties: string;
}

/**
 * The two texts whose digests a signed document states, cut out of it: written again, a number might look different.
 */
export function buildDigestedTexts(raw: Buffer): DigestedTexts {
  const text = minified(raw.toString('utf8'));
  const invoiceStart = firstItemAt(text, 0, 'Invoice');
  const propertiesStart = propertiesPath.reduce((start, name) => firstItemAt(text, start, name), invoiceStart);
  return {
    unsigned: withoutSignature(text, invoiceStart),
    properties: propertiesStart === noPosition ? '' : text.slice(propertiesStart, findValueEnd(text, propertiesStart)),
  };
}

const noPosition = -1;

/** Where the first item of the array starts that is the named member of the object at `start`. */
function firstItemAt(text: string, start: number, name: string): number {
  const member = start === noPosition ? undefined : membersAt(text, start).find((known) => known.name === name);
  return member ? member.valueStart + 1 : noPosition;
}

function withoutSignature(text: string, invoiceStart: number): string {
  const members = membersAt(text, invoiceStart);
  const kept = members.filter(({ name }) => !signatureMembers.includes(name));
  const end = members.at(-1)?.end ?? invoiceStart + 1;
  return (
    text.slice(0, invoiceStart + 1) +
    kept.map((member) => text.slice(member.start, member.end)).join() +
    text.slice(end)
  );
}
