import { asFailure } from '../../api/errors';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { ButtonLink, TextLink } from '../../parts/links';
import type { TransactionScope } from './use-transaction';

interface LoadingFailureProps {
  scope: TransactionScope;
  error: unknown;
  onRetry: () => void;
}

const LIST = '/o/$tenantId/$environment/transactions';

/** Offers no retry for a missing document. */
export function LoadingFailure({ scope, error, onRetry }: LoadingFailureProps) {
  if (error === null) return null;
  if (asFailure(error).status === 404) {
    return (
      <EmptyState
        title="This document was not found"
        text={`The address is wrong, or the document does not belong to this organisation in ${scope.environment}.`}
        action={
          <ButtonLink to={LIST} params={scope}>
            Go to the documents
          </ButtonLink>
        }
      />
    );
  }
  return (
    <>
      <ErrorAlert error={error} onRetry={onRetry} />
      <TextLink to={LIST} params={scope}>
        Back to the list
      </TextLink>
    </>
  );
}
