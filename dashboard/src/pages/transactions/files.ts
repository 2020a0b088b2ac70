/** The ZIP files of documents, by their names at the API. */
export const FILES = [
  { name: 'transactions-pdf.zip', label: 'PDFs of the valid documents' },
  { name: 'transactions-evidence.zip', label: 'Evidence: requests, documents, responses, history' },
] as const;

/** The statuses of documents that have a PDF. */
export const PRINTED: readonly string[] = ['Valid', 'Cancelled'];
