import { DashboardError } from './dashboard-errors.js';

/** 409: the document is not as the caller saw it any more. Only a caller that states what it saw meets it. */
export class DocumentChangedError extends DashboardError {
  constructor() {
    super('state_conflict', { message: 'This document was submitted again meanwhile: see its latest attempt' });
  }
}
