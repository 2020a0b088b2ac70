import { IconFlask } from '@tabler/icons-react';
import { StyledBadge } from '../parts/styled-badge';

/** Says that nothing here counts. */
export function SandboxBadge() {
  return <StyledBadge style={{ label: 'Sandbox', color: 'orange', icon: IconFlask }} />;
}
