import { useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import type { AppSettings } from '../../../src/contract/settings.js';
import { useSessionQuery } from '../api/session.js';
import { useLoadedSettings, useSettings } from '../api/settings.js';
import { keptLink } from '../shared/addresses/mailed-link.js';
import { hasVisited, recordSignIn, wasSignedIn } from '../shared/browser/visit.js';
import { t } from '../shared/i18n/i18n.js';
import { LoadingOverlay } from '../shared/ui/placeholders/loading-overlay.js';
import { Redirect } from '../shared/ui/placeholders/redirect.js';
import { rule } from './routing-rules.js';

/** Around every page but the error pages: loads settings and session, then lets the routing rules decide. */
export function Guard() {
  const settingsLoaded = useLoadedSettings();
  const { data: user, isLoading: sessionLoading } = useSessionQuery();
  const settings = useSettings();
  const { pathname, search } = useLocation();
  useDocumentHead(settings);
  useEffect(() => {
    if (user) recordSignIn();
  }, [user]);

  if (!settingsLoaded || sessionLoading) return <LoadingOverlay />;

  const ruling = rule({
    path: pathname,
    search: search || keptLink(pathname),
    origin: window.location.origin,
    userType: user?.userType ?? null,
    lacks: user?.lacks ?? null,
    hasNews: user?.hasNews ?? false,
    adminAccountIsConfigured: settings.adminAccountIsConfigured,
    visited: hasVisited(),
    wasSignedIn: wasSignedIn(),
  });
  if (ruling.kind === 'redirect') {
    return (
      <>
        <LoadingOverlay />
        <Navigate to={ruling.to} replace />
      </>
    );
  }
  if (ruling.kind === 'leave') return <Redirect address={ruling.to} />;
  return <Outlet />;
}

/** Title and icon of the page come from the settings, otherwise from the product (`spec §2`). */
function useDocumentHead({ organizationTitle, organizationFavicon, organizationFaviconMimeType }: AppSettings) {
  useEffect(() => {
    document.title = organizationTitle ?? t('product.name');
  }, [organizationTitle]);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!icon || !organizationFavicon || !organizationFaviconMimeType) return;
    icon.type = organizationFaviconMimeType;
    icon.href = `data:${organizationFaviconMimeType};base64,${organizationFavicon}`;
  }, [organizationFavicon, organizationFaviconMimeType]);
}
