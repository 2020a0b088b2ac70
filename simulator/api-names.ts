/** The API calls that are rate limited and accept faults. */
export const apiNames = [
  'token',
  'submit',
  'getSubmission',
  'details',
  'raw',
  'cancel',
  'validateTin',
  'search',
  'recent',
  'searchTin',
  'qrCode',
  'documentTypes',
  'documentType',
  'documentTypeVersion',
  'notifications',
] as const;
export type ApiName = (typeof apiNames)[number];
