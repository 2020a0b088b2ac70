const CALLS: Record<string, string> = {
  login: 'Login',
  submit: 'Submit documents',
  getSubmission: 'Read a submission',
  details: 'Read a document',
  raw: 'Read the bytes of a document',
  cancel: 'Cancel a document',
  validateTin: 'Check a TIN',
  search: 'Search documents',
};

/** An API of the authority in words; one that is not here by its name. */
export function callName(api: string): string {
  return CALLS[api] ?? api;
}
