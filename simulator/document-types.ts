interface DocumentType {
  code: string;
  name: string;
}

/** The authority's names for the types, in one place since the captures differ from the pages anyway. */
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

/** The same for all types. The last two are for the special voluntary disclosure, which ends. */
export const documentTypeVersions: readonly DocumentTypeVersion[] = [
  { name: '1.0', activeTo: null },
  { name: '1.1', activeTo: null },
  { name: '1.2', activeTo: disclosureEnd },
  { name: '1.3', activeTo: disclosureEnd },
];

/** Hours within which a document is submitted after its issue, and cancelled or rejected after its validation. */
export const workflowHours = { submissionDuration: 72, cancellationDuration: 72, rejectionDuration: 72 };
