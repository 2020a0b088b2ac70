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
  /** The document without its signature. */
  unsigned: string;
  /** The qualifying properties, including their target. */
  properties: string;
}

/** Cuts both digested texts out of the raw document, because serializing it again could change the form of a number. */
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

/** Returns the start of the first item in the named array of the object at `start`. */
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
