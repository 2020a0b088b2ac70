const CALLS: Record<string, string> = {
  login: 'Login',
  submit: 'Submit documents',
  getSubmission: 'Read a submission',
  details: 'Read a document',
  raw: 'Download a document',
  cancel: 'Cancel a document',
  validateTin: 'Check a TIN',
  search: 'Search documents',
};

/** Returns a readable name of an authority API. Falls back to the API's own name. */
export function formatCallName(api: string): string {
  return CALLS[api] ?? api;
}
