import {
  IconAlertCircle,
  IconBuilding,
  IconCoins,
  IconFilePlus,
  IconFiles,
  IconHeartbeat,
  IconHelpCircle,
  IconHistory,
  IconKey,
  IconListCheck,
  IconListDetails,
  IconReceipt,
  IconRosetteDiscountCheck,
  IconStack2,
  IconUsers,
  IconChartBar,
  IconFileInvoice,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Role } from '../api/session';

/** Determines the parameters of the page's path. */
export type Area = 'environment' | 'organisation' | 'operator';

export interface NavigationEntry {
  area: Area;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  to: LinkProps['to'];
  /** Minimum role; default: viewer. Ignored for operator pages. */
  role?: Role;
}

/** Entries in the order of the menu. The first one is the home page. */
export const navigation: readonly NavigationEntry[] = [
  { area: 'environment', label: 'Overview', icon: IconChartBar, to: '/o/$tenantId/$environment/overview' },
  { area: 'environment', label: 'Needs action', icon: IconAlertCircle, to: '/o/$tenantId/$environment/needs-action' },
  { area: 'environment', label: 'Documents', icon: IconFileInvoice, to: '/o/$tenantId/$environment/transactions' },
  { area: 'environment', label: 'Batches', icon: IconFiles, to: '/o/$tenantId/$environment/batches' },
  { area: 'environment', label: 'Bulk jobs', icon: IconListDetails, to: '/o/$tenantId/$environment/bulk' },
  {
    area: 'environment',
    label: 'Send an invoice',
    icon: IconFilePlus,
    to: '/o/$tenantId/$environment/send',
    role: 'member',
  },
  { area: 'organisation', label: 'Getting started', icon: IconListCheck, to: '/o/$tenantId/onboarding' },
  { area: 'organisation', label: 'Profile', icon: IconBuilding, to: '/o/$tenantId/profile' },
  { area: 'organisation', label: 'API keys', icon: IconKey, to: '/o/$tenantId/keys' },
  { area: 'organisation', label: 'Credits', icon: IconCoins, to: '/o/$tenantId/credits' },
  { area: 'organisation', label: 'Members', icon: IconUsers, to: '/o/$tenantId/members' },
  { area: 'organisation', label: 'Audit log', icon: IconHistory, to: '/o/$tenantId/audit', role: 'owner' },
  { area: 'operator', label: 'Organisations', icon: IconBuilding, to: '/operator/organisations' },
  { area: 'operator', label: 'Verifications', icon: IconRosetteDiscountCheck, to: '/operator/verifications' },
  { area: 'operator', label: 'Orders', icon: IconReceipt, to: '/operator/orders' },
  { area: 'operator', label: 'Queue', icon: IconStack2, to: '/operator/queue' },
  { area: 'operator', label: 'In doubt', icon: IconHelpCircle, to: '/operator/in-doubt' },
  { area: 'operator', label: 'Authority', icon: IconHeartbeat, to: '/operator/authority' },
  { area: 'operator', label: 'Audit log', icon: IconHistory, to: '/operator/audit' },
];
