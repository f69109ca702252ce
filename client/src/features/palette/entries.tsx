import {
  ApiOutlined,
  BookOutlined,
  FileOutlined,
  HistoryOutlined,
  ImportOutlined,
  LinkOutlined,
  PlusOutlined,
  ProfileOutlined,
  SafetyCertificateOutlined,
  SyncOutlined,
  UserOutlined,
} from '@ant-design/icons';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { FoundClient, FoundUser, PaletteMatches } from '../../../../src/contract/palette.js';
import type { Path } from '../../../../src/contract/rules/pages.js';
import type { Offer } from '../../shared/offered-actions.js';
import type { GoTo } from './use-go-to.js';
import './words/en.js';
import '../../shared/addresses/words/en.js';

export interface Entry {
  key: string;
  icon: ReactNode;
  title: string;
  /** Written as code. */
  isCode?: boolean;
  detail?: string | undefined;
  detailIsCode?: boolean;
  act: () => void;
}

/** The language of the entries, and the way to their pages. */
export interface EntryContext {
  t: TFunction;
  goTo: GoTo;
}

export function clientEntry({ goTo }: EntryContext, client: FoundClient): Entry {
  return {
    key: `client ${client.id}`,
    icon: <ApiOutlined aria-hidden />,
    title: client.clientName || client.clientId,
    detail: client.clientId,
    detailIsCode: true,
    act: () => goTo('/admin/client-management', { client: client.id }),
  };
}

/** A user among those that are listed with them: the address tells namesakes apart. */
export function userEntry(
  { t, goTo }: EntryContext,
  { id, fullName, email, userType }: FoundUser,
  listed: readonly FoundUser[] = [],
): Entry {
  const role = t(`roles.${userType}`);
  const hasNamesake = listed.some((other) => other.id !== id && other.fullName === fullName);
  return {
    key: `user ${id}`,
    icon: <UserOutlined aria-hidden />,
    title: fullName,
    detail: hasNamesake && email ? `${role} · ${email}` : role,
    act: () => goTo('/admin/user-management', { user: id }),
  };
}

export function redirectUriEntry(
  context: EntryContext,
  { uri, client }: PaletteMatches['redirectUris'][number],
): Entry {
  return {
    ...clientEntry(context, client),
    key: `uri ${client.id} ${uri}`,
    icon: <LinkOutlined aria-hidden />,
    title: uri,
    isCode: true,
    detail: client.clientName || client.clientId,
    detailIsCode: false,
  };
}

export function recordEntry(context: EntryContext, { reference, user }: PaletteMatches['records'][number]): Entry {
  return {
    ...userEntry(context, user),
    key: `record ${user.id}`,
    icon: <ProfileOutlined aria-hidden />,
    title: reference,
    isCode: true,
    detail: user.fullName,
  };
}

/** The actions that the page offers for the selected rows, those that destroy last. */
export function selectionEntries(offer: Offer | null): Entry[] {
  return (offer?.actions ?? [])
    .filter(({ disabled }) => !disabled)
    .toSorted((one, other) => Number(one.danger ?? false) - Number(other.danger ?? false))
    .map(({ key, label, icon, act }) => ({ key: `selected ${key}`, icon, title: label, act }));
}

export function actionEntries({ t, goTo }: EntryContext, verifyAudit: () => Promise<void>): Entry[] {
  return [
    {
      key: 'add client',
      icon: <PlusOutlined aria-hidden />,
      title: t('palette.addClient'),
      act: () => goTo('/admin/client-management', { add: 'true' }),
    },
    {
      key: 'add user',
      icon: <PlusOutlined aria-hidden />,
      title: t('palette.addUser'),
      act: () => goTo('/admin/user-management', { add: 'true' }),
    },
    {
      key: 'import users',
      icon: <ImportOutlined aria-hidden />,
      title: t('palette.importUsers'),
      act: () => goTo('/admin/user-management', { import: 'true' }),
    },
    {
      key: 'verify audit',
      icon: <SafetyCertificateOutlined aria-hidden />,
      title: t('palette.verifyAudit'),
      act: () => {
        goTo('/admin/audit');
        verifyAudit();
      },
    },
  ];
}

/** The calls and pages about a client that the search found. */
export function relatedEntries({ t, goTo }: EntryContext, { id, clientId, hasSharedSecret }: FoundClient): Entry[] {
  const rotate = {
    key: 'rotate',
    icon: <SyncOutlined aria-hidden />,
    title: t('palette.rotateSecret'),
    act: () => goTo('/admin/client-management', { client: id, rotate: 'true' }),
  };
  return [
    ...(hasSharedSecret ? [rotate] : []),
    {
      key: 'launches',
      icon: <HistoryOutlined aria-hidden />,
      title: t('palette.showLaunches'),
      act: () => goTo('/admin/activity', { clientId }),
    },
    {
      key: 'audit of client',
      icon: <SafetyCertificateOutlined aria-hidden />,
      title: t('palette.showAudit'),
      act: () => goTo('/admin/audit', { clientId }),
    },
  ];
}

export function pageEntries({ t, goTo }: EntryContext): Entry[] {
  const titles: [Path, string][] = [
    ['/admin/dashboard', t('navigation.dashboard')],
    ['/admin/user-management', t('navigation.users')],
    ['/admin/client-management', t('navigation.clients')],
    ['/admin/activity', t('activity.title')],
    ['/admin/audit', t('activity.auditTitle')],
    ['/admin/readiness', t('palette.readiness')],
    ['/admin/connect-fhir-server', t('palette.connectFhirServer')],
    ['/admin/openid-configuration', t('navigation.openid')],
    ['/admin/smart-configuration', t('navigation.smart')],
    ['/admin/account-settings', t('header.accountSettings')],
  ];
  return titles.map(([path, title]) => ({
    key: path,
    icon: <FileOutlined aria-hidden />,
    title,
    act: () => goTo(path),
  }));
}

export function documentEntries({ t }: EntryContext, manual: string | undefined): Entry[] {
  if (!manual) return [];
  return [
    {
      key: 'documentation',
      icon: <BookOutlined aria-hidden />,
      title: t('common.documentation'),
      detail: t('common.opensInNewTab'),
      act: () => window.open(manual, '_blank', 'noopener'),
    },
  ];
}
