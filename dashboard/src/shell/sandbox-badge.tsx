import { IconFlask } from '@tabler/icons-react';
import { LookBadge } from '../parts/look-badge';

/** Says that nothing here counts. */
export function SandboxBadge() {
  return <LookBadge look={{ label: 'Sandbox', color: 'orange', icon: IconFlask }} />;
}
