interface DocumentType {
  code: string;
  name: string;
}

/** Document types with their names. The authority's pages and captured responses use different names. */
export const documentTypes: readonly DocumentType[] = [
  { code: '01', name: 'Invoice' },
  { code: '02', name: 'Credit Note' },
  { code: '03', name: 'Debit Note' },
  { code: '04', name: 'Refund Note' },
  { code: '11', name: 'Self-billed Invoice' },
  { code: '12', name: 'Self-billed Credit Note' },
  { code: '13', name: 'Self-billed Debit Note' },
  { code: '14', name: 'Self-billed Refund Note' },
];

export const documentTypeCodes = documentTypes.map(({ code }) => code);

interface DocumentTypeVersion {
  name: string;
  activeTo: string | null;
}

const disclosureEnd = '2027-12-31T23:59:59Z';

/** All types have the same versions. Versions 1.2 and 1.3 belong to the special voluntary disclosure programme. */
export const documentTypeVersions: readonly DocumentTypeVersion[] = [
  { name: '1.0', activeTo: null },
  { name: '1.1', activeTo: null },
  { name: '1.2', activeTo: disclosureEnd },
  { name: '1.3', activeTo: disclosureEnd },
];

/** Hours from the issue to the submission deadline, and from validation to the cancellation and rejection deadlines. */
export const workflowHours = { submissionDuration: 72, cancellationDuration: 72, rejectionDuration: 72 };
