/** The calls that have a limit and can be given a fault. */
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
