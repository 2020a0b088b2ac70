export const FILES = [
  { name: 'transactions-pdf.zip', label: 'PDFs of the valid documents' },
  { name: 'transactions-evidence.zip', label: 'Evidence: requests, documents, responses, history' },
] as const;

export const PRINTED: readonly string[] = ['Valid', 'Cancelled'];
