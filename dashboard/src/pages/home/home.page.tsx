import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { useOrganisation } from '../../shell/use-session';

/** Start page of an organisation whose menu has no other page. */
export function HomePage() {
  const { name } = useOrganisation();
  return (
    <Page title={name}>
      <EmptyState title="You are signed in" text="Choose a page in the menu." />
    </Page>
  );
}

/** For a user without any organisation: their membership ended. */
export function NoOrganisationPage() {
  return (
    <Page title="Welcome">
      <EmptyState
        title="You are not in an organisation"
        text="Ask an owner of your organisation to invite you; the link that they send you opens it here."
      />
    </Page>
  );
}
