import { IconFlask } from '@tabler/icons-react';
import { StyledBadge } from '../parts/styled-badge';

/** Marks pages without legal effect. */
export function SandboxBadge() {
  return <StyledBadge style={{ label: 'Sandbox', color: 'orange', icon: IconFlask }} />;
}
