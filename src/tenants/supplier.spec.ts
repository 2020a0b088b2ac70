import { describe, expect, it } from 'vitest';
import { goldenSupplier } from '../documents/golden/golden.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { buildSupplier } from './supplier.js';

const { addressLines, ...SUPPLIER } = goldenSupplier();
const [addressLine1, addressLine2] = addressLines;
const COMPLETE = {
  ...SUPPLIER,
  tenantId: '01a1fbcf-8a05-75de-ad3d-223a5dca7ef2',
  addressLine1,
  addressLine2,
  createdAt: new Date(0),
};

const NOTHING = {
  tin: null,
  idType: null,
  idValue: null,
  msic: null,
  activity: null,
  addressLine1: null,
  phone: null,
};

describe('buildSupplier', () => {
  it('returns the supplier of a complete profile', () => {
    expect(buildSupplier(COMPLETE)).toEqual({ ...SUPPLIER, addressLines });
  });

  it('accepts a single address line', () => {
    expect(buildSupplier({ ...COMPLETE, addressLine2: null })).toMatchObject({ addressLines: ['Lot 66'] });
  });

  it.each<[keyof Tenant, string]>([
    ['name', 'name'],
    ['tin', 'TIN'],
    ['idType', 'id'],
    ['idValue', 'id'],
    ['msic', 'MSIC'],
    ['activity', 'activity'],
    ['addressLine1', 'address'],
    ['city', 'address'],
    ['postcode', 'address'],
    ['stateCode', 'address'],
    ['country', 'address'],
    ['phone', 'phone'],
  ])('without %s returns %s as missing', (field, missing) => {
    expect(buildSupplier({ ...COMPLETE, [field]: field === 'name' ? '' : null })).toEqual({ missing: [missing] });
  });

  it('returns all missing parts together', () => {
    expect(buildSupplier({ ...COMPLETE, ...NOTHING })).toEqual({
      missing: ['TIN', 'id', 'MSIC', 'activity', 'address', 'phone'],
    });
  });
});
