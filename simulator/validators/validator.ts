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

/** Checks the content of an accepted document. An empty list means that it is valid. */
export type ContentValidator = (subject: Subject, settings: SimulatorSettings) => ValidationFinding[];

/** Checks an accepted document against the other documents in the archive. */
export type ArchiveValidator = (document: StoredDocument, context: ValidationContext) => ValidationFinding[];

/** Converts `Party.Contact` to the form of captured paths, `$.Invoice[*].Party[*].Contact[*]`. */
export function toPropertyPath(elements: string, member = '_'): string {
  return `$.Invoice[*].${elements.replaceAll('.', '[*].')}[*].${member}`;
}
