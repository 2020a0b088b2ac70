import { DashboardError } from './dashboard-errors.js';

/** 409: the document has changed since the caller read it. Applies only to callers that send the state they read. */
export class DocumentChangedError extends DashboardError {
  constructor() {
    super('state_conflict', { message: 'This document was submitted again meanwhile: see its latest attempt' });
  }
}
