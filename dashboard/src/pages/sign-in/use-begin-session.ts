import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type Session, beginSession } from '../../api/session';

export function useBeginSession(returnTo: string | undefined): (session: Session) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return (session) => {
    beginSession(queryClient, session);
    return router.navigate({ href: returnTo ?? '/' });
  };
}
