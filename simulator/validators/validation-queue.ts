import type { FailedStep, StoredDocument } from '../documents.js';
import { findErrorText } from '../error-texts.js';
import { newLongId } from '../ids.js';
import { readReservedName } from '../reserved-names.js';
import { validationSteps } from './steps.js';
import type { Subject, ValidationContext } from './validator.js';

interface Validation extends Subject {
  dueAt: number;
}

/** Documents that wait for their validation, the earliest first. The parsed content lives only as long as it waits. */
export class ValidationQueue {
  private waiting: Validation[] = [];

  /** Due times mostly rise, so the place is nearly always at the end. */
  schedule(validation: Validation): void {
    const later = this.waiting.findLastIndex(({ dueAt }) => dueAt <= validation.dueAt);
    this.waiting.splice(later + 1, 0, validation);
  }

  /** Somebody has settled it before. */
  remove(uuid: string): void {
    const at = this.waiting.findIndex(({ document }) => document.uuid === uuid);
    if (at !== -1) this.waiting.splice(at, 1);
  }

  /** Each document that waits with its due time, for who writes them down. */
  dueTimes(): Map<string, number> {
    return new Map(this.waiting.map(({ document, dueAt }) => [document.uuid, dueAt]));
  }

  /**
   * In the order of due times, because the outcome of a note depends on its parent's. @returns the settled documents
   */
  runDue(now: number, context: ValidationContext): StoredDocument[] {
    const firstLater = this.waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.waiting.splice(0, firstLater === -1 ? this.waiting.length : firstLater);
    for (const validation of due) settle(validation, context);
    return due.map(({ document }) => document);
  }
}

function settle(validation: Validation, context: ValidationContext): void {
  const failedSteps = findReservedOutcome(validation.document) ?? runSteps(validation, context);
  validation.document.outcome = {
    validatedAt: validation.dueAt,
    longId: failedSteps.length === 0 ? newLongId() : '',
    failedSteps,
  };
}

function runSteps(subject: Subject, context: ValidationContext): FailedStep[] {
  return validationSteps.flatMap(({ number, validate }) => {
    const findings = validate?.(subject, context) ?? [];
    return findings.length === 0 ? [] : [{ step: number, findings }];
  });
}

function findReservedOutcome(document: StoredDocument): FailedStep[] | undefined {
  const name = readReservedName(document.number);
  if (name?.kind !== 'invalid') return undefined;
  const { code, step, text, path = '' } = findErrorText(name.code);
  return [{ step, findings: [{ code, message: text, path }] }];
}
