import { type SimulatorResponse, jsonResponse } from './responses.js';
import { type DocumentStatus, type Outcome, type StoredDocument, getStatus, toSummaryRow } from './documents.js';
import { notFound, notPermitted } from './errors.js';
import { readPage } from './paging.js';
import type { AuthorizedRequest } from './requests.js';
import { toSubmitterKey } from './token-book.js';
import { isoSeconds } from './clock.js';
import { type ValidationStep, validationSteps } from './validators/steps.js';
import type { World } from './world.js';

export function getSubmission(world: World, { parameters, query, session }: AuthorizedRequest): SimulatorResponse {
  const page = readPage(query);
  if (!world.isAllowedBy(session.tin, 'view')) return notPermitted();
  const submission = world.archive.findSubmission(parameters.uid ?? '');
  const isVisible =
    submission?.submitter === toSubmitterKey(session) &&
    world.clock.now() >= submission.receivedAt + world.settings.visibilityDelayMs;
  if (!submission || !isVisible) return notFound('Submission');
  return jsonResponse(200, {
    submissionUid: submission.uid,
    documentCount: submission.documents.length,
    dateTimeReceived: isoSeconds(submission.receivedAt),
    overallStatus: summariseStatuses(submission.documents.map((document) => getStatus(document))),
    documentSummary: submission.documents.slice(page.from, page.to).map((document) => toSummaryRow(document)),
  });
}

export function getDetails(world: World, request: AuthorizedRequest): SimulatorResponse {
  if (!world.isAllowedBy(request.session.tin, 'view')) return notPermitted();
  const document = findOwn(world, request);
  if (!document) return notFound('Document');
  return jsonResponse(200, { ...toSummaryRow(document), validationResults: buildValidationResults(document) });
}

/** Responds with 404 for an invalid document, as the authority does. */
export function getRaw(world: World, request: AuthorizedRequest): SimulatorResponse {
  if (!world.isAllowedBy(request.session.tin, 'view')) return notPermitted();
  const document = findOwn(world, request);
  if (!document || getStatus(document) === 'Invalid') return notFound('Document');
  return jsonResponse(200, { ...toSummaryRow(document), document: document.raw.toString('utf8') });
}

/** Finds a document that the caller submitted. An intermediary cannot read other documents. */
function findOwn(world: World, { parameters, session }: AuthorizedRequest): StoredDocument | undefined {
  const document = world.archive.find(parameters.uuid ?? '');
  return document?.submitter === toSubmitterKey(session) ? document : undefined;
}

/** Computes the overall status of a submission. A cancelled document counts as valid. */
function summariseStatuses(statuses: DocumentStatus[]): string {
  if (statuses.includes('Submitted')) return 'InProgress';
  const invalidCount = statuses.filter((status) => status === 'Invalid').length;
  if (invalidCount === 0) return 'Valid';
  return invalidCount === statuses.length ? 'Invalid' : 'Partially Valid';
}

function buildValidationResults(document: StoredDocument) {
  const { outcome } = document;
  if (!outcome) {
    const waiting = validationSteps.map((step) => ({ name: labelStep(step), status: 'Submitted' }));
    return { status: 'Submitted', validationSteps: waiting };
  }
  return {
    status: outcome.failedSteps.length === 0 ? 'Valid' : 'Invalid',
    validationSteps: validationSteps.map((step) => buildStepResult(outcome, step)),
  };
}

function buildStepResult(outcome: Outcome, step: ValidationStep) {
  const failed = outcome.failedSteps.find(({ step: number }) => number === step.number);
  if (!failed) return { name: labelStep(step), status: 'Valid' };
  const innerError = failed.findings.map(({ code, message, path }) => ({
    propertyName: toPropertyName(path),
    propertyPath: path,
    errorCode: code,
    error: message,
    errorMs: message,
    metaData: null,
    innerError: null,
  }));
  const wrapper = {
    propertyName: null,
    propertyPath: null,
    errorCode: `Error${twoDigits(step.number)}`,
    error: `Step${twoDigits(step.number)}-Invalid ${step.name}`,
    errorMs: `Step${twoDigits(step.number)}-${step.malayName} Tidak Sah`,
    innerError,
  };
  return { name: labelStep(step), status: 'Invalid', error: wrapper };
}

/** Returns the element name of a path, such as `City` for `$.Invoice[*].City[*]._`. */
function toPropertyName(path: string): string | null {
  const elements = path.replaceAll('[*]', '').split('.');
  const last = elements.at(-1) ?? '';
  return (['_', 'currencyID', 'unitCode'].includes(last) ? elements.at(-2) : last) || null;
}

function labelStep({ number, name }: ValidationStep): string {
  return `Step${twoDigits(number)}-${name}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
