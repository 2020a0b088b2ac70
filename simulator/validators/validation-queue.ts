import type { FailedStep, StoredDocument, ValidationFinding } from '../documents.js';
import { findErrorText } from '../error-texts.js';
import { newLongId } from '../ids.js';
import { readReservedName } from '../reserved-names.js';
import type { SimulatorSettings } from '../settings.js';
import { readInvoice } from '../ubl.js';
import { validationSteps } from './steps.js';
import type { Subject, ValidationContext } from './validator.js';

interface Validation {
  document: StoredDocument;
  dueAt: number;
  /** Failed steps of the content checks, which ran with `settings`. */
  contentFailures: FailedStep[];
  settings: SimulatorSettings;
}

/**
 * Queue of pending validations, ordered by due time. Content checks run on arrival, because thousands of documents may
 * be pending and a parsed document takes ten times the memory of its text.
 */
export class ValidationQueue {
  private waiting: Validation[] = [];

  /** Searches from the end, because most due times are later than all others. */
  schedule({ document, invoice, dueAt }: Subject & { dueAt: number }, settings: SimulatorSettings): void {
    const contentFailures = checkContent({ document, invoice }, settings);
    const validation = { document, dueAt, contentFailures, settings };
    const later = this.waiting.findLastIndex(({ dueAt }) => dueAt <= validation.dueAt);
    this.waiting.splice(later + 1, 0, validation);
  }

  /** Removes a document that already has an outcome. */
  remove(uuid: string): void {
    const index = this.waiting.findIndex(({ document }) => document.uuid === uuid);
    if (index !== -1) this.waiting.splice(index, 1);
  }

  /** Returns due times by document id, for restore.ts. */
  dueTimes(): Map<string, number> {
    return new Map(this.waiting.map(({ document, dueAt }) => [document.uuid, dueAt]));
  }

  /**
   * Runs due validations in order of due time, because the outcome of a note depends on its parent's outcome.
   * @returns the validated documents
   */
  runDue(now: number, context: ValidationContext): StoredDocument[] {
    const firstLater = this.waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.waiting.splice(0, firstLater === -1 ? this.waiting.length : firstLater);
    for (const validation of due) settle(validation, context);
    return due.map(({ document }) => document);
  }
}

function settle(validation: Validation, context: ValidationContext): void {
  const { document, dueAt } = validation;
  const failedSteps = findReservedOutcome(document) ?? runSteps(validation, context);
  document.outcome = { validatedAt: dueAt, longId: failedSteps.length === 0 ? newLongId() : '', failedSteps };
}

function runSteps({ document, contentFailures, settings }: Validation, context: ValidationContext): FailedStep[] {
  // The settings at validation time apply, so changed settings require new content checks.
  const ofContent =
    settings === context.settings
      ? contentFailures
      : checkContent({ document, invoice: readInvoice(document.raw) }, context.settings);
  const amongOthers = validationSteps.flatMap(({ number, validateAmongOthers }) =>
    toFailedStep(number, validateAmongOthers?.(document, context)),
  );
  return [...ofContent, ...amongOthers].toSorted((a, b) => a.step - b.step);
}

function checkContent(subject: Subject, settings: SimulatorSettings): FailedStep[] {
  return validationSteps.flatMap(({ number, validateContent }) =>
    toFailedStep(number, validateContent?.(subject, settings)),
  );
}

function toFailedStep(step: number, findings: ValidationFinding[] = []): FailedStep[] {
  return findings.length === 0 ? [] : [{ step, findings }];
}

function findReservedOutcome(document: StoredDocument): FailedStep[] | undefined {
  const name = readReservedName(document.number);
  if (name?.kind !== 'invalid') return undefined;
  const { code, step, text, path = '' } = findErrorText(name.code);
  return [{ step, findings: [{ code, message: text, path }] }];
}
