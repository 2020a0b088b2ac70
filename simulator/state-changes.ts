import { type SimulatorResponse, jsonResponse } from './responses.js';
import { workflowHours } from './document-types.js';
import { type StoredDocument, getStatus } from './documents.js';
import { apiError, badArgument, notFound } from './errors.js';
import { parseJson } from './parse-json.js';
import type { AuthorizedRequest } from './requests.js';
import { readReservedName } from './reserved-names.js';
import { countCharacters, readAttribute, isNode } from './ubl.js';
import type { World } from './world.js';

const hourMs = 60 * 60_000;
const periodMs: Record<StateAction, number> = {
  cancel: workflowHours.cancellationDuration * hourMs,
  reject: workflowHours.rejectionDuration * hourMs,
};
const reasonLengthMax = 300;

/** Changes of the state call: the issuer cancels a document, or the buyer requests its rejection. */
export type StateAction = 'cancel' | 'reject';

const actionByStatus: Record<string, StateAction> = { cancelled: 'cancel', rejected: 'reject' };

interface StateRefusal {
  code: string;
  message: string;
}

const periodOver: StateRefusal = {
  code: 'OperationPeriodOver',
  message: 'The operation period of 72 hours is over',
};

export function changeState(world: World, request: AuthorizedRequest): SimulatorResponse {
  const change = readChange(request);
  if ('refusal' in change) return change.refusal;
  const document = world.archive.find(request.parameters.uuid ?? '');
  if (!document) return notFound('Document');
  if (!mayChange(world, request, document, change.action)) return forbidden();
  const refusal = applyAction(world, document, change.action, change.reason);
  if (refusal) return refused(refusal);
  const status = change.action === 'cancel' ? 'Cancelled' : 'Requested for Rejection';
  return jsonResponse(200, { uuid: document.uuid, status });
}

function readChange(
  request: AuthorizedRequest,
): { action: StateAction; reason: string } | { refusal: SimulatorResponse } {
  if (!String(request.headers['content-type']).includes('json')) {
    return { refusal: badArgument('Content-Type', 'The content type must be application/json') };
  }
  const body = parseJson(request.body.toString('utf8'));
  const fields = isNode(body) ? body : {};
  const action = actionByStatus[readAttribute(fields, 'status').toLowerCase()];
  const reason = readAttribute(fields, 'reason');
  if (!action) return { refusal: badArgument('status', 'status must be cancelled or rejected') };
  if (reason.trim() === '') return { refusal: badArgument('reason', 'reason is mandatory') };
  // The authority publishes no length limit for the reason of a rejection.
  if (action === 'reject' || countCharacters(reason) <= reasonLengthMax) return { action, reason };
  return { refusal: badArgument('reason', `reason has at most ${reasonLengthMax} characters`) };
}

/** Applies the action or returns the reason for the refusal. The portal uses the same rules. */
export function applyAction(
  world: World,
  document: StoredDocument,
  action: StateAction,
  reason: string,
): StateRefusal | undefined {
  const refusal = refuseAction(world, document, action);
  if (refusal) return refusal;
  const now = world.clock.now();
  const change = action === 'cancel' ? { cancelledAt: now } : { rejectRequestedAt: now };
  world.changeDocument(document, { ...change, reason });
  return undefined;
}

function refuseAction(world: World, document: StoredDocument, action: StateAction): StateRefusal | undefined {
  const status = getStatus(document);
  if (!document.outcome || status !== 'Valid') {
    return { code: 'IncorrectState', message: `The document is ${status}` };
  }
  if (world.clock.now() > document.outcome.validatedAt + periodMs[action]) return periodOver;
  if (action === 'cancel' && readReservedName(document.number)?.kind === 'no-cancel') return periodOver;
  // The buyer can request a rejection once.
  if (action === 'reject' && document.rejectRequestedAt !== undefined) {
    return { code: 'IncorrectState', message: 'The rejection of the document was already requested' };
  }
  if (!world.archive.hasLiveNotes(document.uuid)) return undefined;
  return { code: 'ActiveReferencingDocuments', message: 'Cancel the documents that reference this one first' };
}

function mayChange(
  world: World,
  { session }: AuthorizedRequest,
  document: StoredDocument,
  action: StateAction,
): boolean {
  const buyerOrSupplierTin = document.issuerTin === document.supplierTin ? document.buyerTin : document.supplierTin;
  const ownerTin = action === 'cancel' ? document.issuerTin : buyerOrSupplierTin;
  return session.tin === ownerTin && world.isAllowedBy(session.tin, action);
}

/** Builds a copy of a captured response. */
function forbidden(): SimulatorResponse {
  return apiError(403, {
    code: 'AccessDenied',
    message: 'The document cannot be cancelled or requested for rejection',
    target: 'Update Document Status',
    details: [
      {
        code: 'Forbidden',
        target: 'Document.UUID',
        message: 'It seems that you are not authorized to update document status',
      },
    ],
  });
}

/** Repeats the code in `details`, because captured responses contain it in either place. */
function refused({ code, message }: StateRefusal): SimulatorResponse {
  const target = 'Document.UUID';
  return apiError(400, { code, message, target, details: [{ code, target, message }] });
}
