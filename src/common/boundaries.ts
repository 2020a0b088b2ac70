/**
 * Every step after which something has happened for good: a transaction that commits, a statement that commits by
 * itself, a call that leaves the machine. What a process does between two of them is lost when it dies; what it has done
 * by then is not. Each has a failpoint on either side, `LOOP.before_STEP` and `LOOP.after_STEP`.
 */
export const BOUNDARIES = {
  'key.touch': 'The last use of an API key is written, at most once a minute.',
  'accept.submit': 'A batch is accepted: its rows, its charge and the answer under its key.',
  'accept.cancel': 'A cancellation is accepted: its row, its charge and the answer under its key.',
  'accept.find_answer': 'The answer of a key is looked up for a body that is refused by now.',
  'accept.replay': 'The credits are read that are shown with an answer that was given before.',
  'accept.dry_run': 'A dry run checks a batch against the rows of its tenant.',
  'taxpayer.clock': 'The time of a verdict is read that needs no call.',
  'taxpayer.prepare': "The id of a TIN, its stored verdict and the caller's profile are read.",
  'taxpayer.store': 'A verdict of the authority is stored.',
  'dispatch.claim': 'Queued documents become one call: their bytes, the call and its lease.',
  'dispatch.settle': 'What a send came to is written.',
  'poll.claim': 'The next look at a submission is put off, which is the lease of this one.',
  'poll.settle': 'What a look showed is written, and held credit notes are decided.',
  'hold.decide': 'Held credit notes are released or failed.',
  'cancel.claim': 'A cancellation is claimed under a lease.',
  'cancel.settle': 'What a cancellation came to is written.',
  'reconcile.expire': 'Calls whose lease ran out become unknown.',
  'reconcile.claim': 'The unknown calls of a tenant are taken for one search.',
  'reconcile.put_off': 'Unknown calls are left for later, since the search gave no answer.',
  'reconcile.decide': 'What a search showed of an unknown call is written.',
  'reconcile.claim_resend': 'An unknown call becomes a send again, under a new lease.',
  'housekeeping.turn': 'A replica takes the turn of a task.',
  'housekeeping.delete': 'Rows that have outlived their purpose are deleted.',
  'budget.reserve': 'A slot of the call budget is taken.',
  'budget.block': 'The calls of an API are closed for all replicas.',
  'budget.fail': 'A failed call is counted for all replicas.',
  'budget.clear': 'The failures of an API are forgotten.',
  'token.read': 'The stored token of a login is read.',
  'token.claim': 'The right to log in is claimed under a lease.',
  'token.store': 'A new token is stored, and the lease ends.',
  'token.release': 'The lease of a login that came to nothing ends.',
  'token.hold': 'A refused login is remembered for a while.',
  'token.drop': 'A token that the authority refused is forgotten.',
  'call.login': 'The authority is asked for a token.',
  'call.submit': 'Documents are sent.',
  'call.getSubmission': 'A submission is looked at.',
  'call.details': 'The details of a document are read.',
  'call.cancel': 'A document is cancelled at the authority.',
  'call.validateTin': 'The authority is asked about a TIN.',
  'call.search': 'What a taxpayer has submitted is searched.',
} as const;

export type Boundary = keyof typeof BOUNDARIES;
