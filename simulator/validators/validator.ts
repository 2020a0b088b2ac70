import type { Archive } from '../archive.js';
import type { StoredDocument, ValidationFinding } from '../documents.js';
import type { SimulatorSettings } from '../settings.js';
import type { UblNode } from '../ubl.js';

export interface Subject {
  document: StoredDocument;
  invoice: UblNode;
}

export interface ValidationContext {
  archive: Archive;
  settings: SimulatorSettings;
}

/** Looks at one accepted document by itself and says what is wrong with it; nothing means valid. */
export type ContentValidator = (subject: Subject, settings: SimulatorSettings) => ValidationFinding[];

/** Looks at one accepted document among the others. */
export type ArchiveValidator = (document: StoredDocument, context: ValidationContext) => ValidationFinding[];

/** `Party.Contact` becomes `$.Invoice[*].Party[*].Contact[*]`, the spelling of the captured paths. */
export function toPropertyPath(elements: string, member = '_'): string {
  return `$.Invoice[*].${elements.replaceAll('.', '[*].')}[*].${member}`;
}
