import { type ApiError, ValidationError } from '../errors/api-error.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../tenants/supplier-errors.js';

const idType = {
  pointer: '/idType',
  rule: 'id_incomplete',
  message: 'is required together with idValue',
  hint: 'send both idType and idValue, or neither to use the id of your latest document with that TIN',
};

export const TIN_ERROR_EXAMPLES: readonly ApiError[] = [new ValidationError([idType]), ...SUPPLIER_ERROR_EXAMPLES];
