import { MALAYSIA } from '../documents/code-lists.js';
import type { Tenant } from '../entities/tenant.entity.js';

export type TenantProfile = Omit<Tenant, 'tenantId' | 'createdAt'>;

export type ProfileField = keyof TenantProfile;

export const EMPTY_PROFILE: TenantProfile = {
  name: '',
  tin: null,
  idType: null,
  idValue: null,
  sstNumber: null,
  ttxNumber: null,
  msic: null,
  activity: null,
  addressLine1: null,
  addressLine2: null,
  city: null,
  postcode: null,
  stateCode: null,
  country: MALAYSIA,
  phone: null,
  email: null,
  defaultTaxType: '01',
  defaultClassification: null,
};

/** Fields in the order of the form. */
export const PROFILE_FIELDS = Object.keys(EMPTY_PROFILE) as readonly ProfileField[];
