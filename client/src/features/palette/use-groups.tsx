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
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import type { FoundClient, FoundUser, OpenedRows, PaletteMatches } from '../../../../src/contract/palette.js';
import type { Path } from '../../../../src/contract/rules/pages.js';
import { mostFound } from '../../../../src/contract/rules/palette.js';
import { useVerifyAuditMutation } from '../../api/audit.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import type { OpenedRow } from '../../shared/browser/opened-rows.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { offeredActions } from '../../shared/offered-actions.js';

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

export interface Group {
  key: string;
  title: string;
  /** Does not depend on the server's answer, nor does any group before it. */
  isKnown: boolean;
  entries: Entry[];
}

/**
 * The entries of the palette for these words; without words, the pages opened last and the actions for the selection.
 */
export function useGroups(
  words: readonly string[],
  matches: PaletteMatches | undefined,
  last: { order: readonly OpenedRow[]; rows: OpenedRows | undefined },
): Group[] {
  const { t } = useTranslation();
  const goTo = useGoTo();
  const { documentation } = useSettings();
  const [verify] = useVerifyAuditMutation();
  const offer = offeredActions();

  const ofClient = (client: FoundClient): Entry => ({
    key: `client ${client.id}`,
    icon: <ApiOutlined aria-hidden />,
    title: client.clientName || client.clientId,
    detail: client.clientId,
    detailIsCode: true,
    act: () => goTo('/admin/client-management', { client: client.id }),
  });
  const ofUser = ({ id, fullName, userType }: FoundUser): Entry => ({
    key: `user ${id}`,
    icon: <UserOutlined aria-hidden />,
    title: fullName,
    detail: t(`roles.${userType}`),
    act: () => goTo('/admin/user-management', { user: id }),
  });
  const page = (path: Path, title: string): Entry => ({
    key: path,
    icon: <FileOutlined aria-hidden />,
    title,
    act: () => goTo(path),
  });
  const group = (key: string, title: string, entries: Entry[], isKnown = false): Group => ({
    ...{ key, title, isKnown },
    entries: entries.slice(0, mostFound),
  });
  const fitting = (entries: Entry[]) =>
    entries.filter(({ title }) => words.every((word) => title.toLocaleLowerCase().includes(word)));

  const selection = fitting(
    (offer?.actions ?? [])
      .filter(({ disabled }) => !disabled)
      .toSorted((one, other) => Number(one.danger ?? false) - Number(other.danger ?? false))
      .map(({ key, label, icon, act }) => ({ key: `selected ${key}`, icon, title: label, act })),
  );
  const actions = fitting([
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
      act: async () => {
        goTo('/admin/audit');
        const { error } = await verify();
        if (error) notifyFailure(error);
      },
    },
  ]);
  const selectionGroup = group('selection', offer?.title ?? '', selection, true);
  if (words.length === 0) {
    const rows = last.rows;
    const opened = last.order.flatMap(({ as, id }) =>
      as === 'client'
        ? (rows?.clients ?? []).filter((one) => one.id === id).map(ofClient)
        : (rows?.users ?? []).filter((one) => one.id === id).map(ofUser),
    );
    return [
      group('opened', t('palette.groups.opened'), opened),
      selectionGroup,
      group('actions', t('palette.groups.actions'), actions),
    ].filter(({ entries }) => entries.length > 0);
  }

  const { clients = [], redirectUris = [], users = [], records = [] } = matches ?? {};
  const [client = redirectUris[0]?.client] = clients;
  const related: Entry[] = client
    ? [
        ...(client.hasSharedSecret
          ? [
              {
                key: 'rotate',
                icon: <SyncOutlined aria-hidden />,
                title: t('palette.rotateSecret'),
                act: () => goTo('/admin/client-management', { client: client.id, rotate: 'true' }),
              },
            ]
          : []),
        {
          key: 'launches',
          icon: <HistoryOutlined aria-hidden />,
          title: t('palette.showLaunches'),
          act: () => goTo('/admin/activity', { clientId: client.clientId }),
        },
        {
          key: 'audit of client',
          icon: <SafetyCertificateOutlined aria-hidden />,
          title: t('palette.showAudit'),
          act: () => goTo('/admin/audit', { clientId: client.clientId }),
        },
      ]
    : [];
  const pages = fitting([
    page('/admin/dashboard', t('navigation.dashboard')),
    page('/admin/user-management', t('navigation.users')),
    page('/admin/client-management', t('navigation.clients')),
    page('/admin/activity', t('activity.title')),
    page('/admin/audit', t('activity.auditTitle')),
    page('/admin/readiness', t('palette.readiness')),
    page('/admin/openid-configuration', t('navigation.openid')),
    page('/admin/smart-configuration', t('navigation.smart')),
    page('/admin/account-settings', t('header.accountSettings')),
  ]);
  const manual = documentation.product;
  const documents = fitting(
    manual
      ? [
          {
            key: 'documentation',
            icon: <BookOutlined aria-hidden />,
            title: t('common.documentation'),
            detail: t('common.opensInNewTab'),
            act: () => window.open(manual, '_blank', 'noopener'),
          },
        ]
      : [],
  );
  return [
    selectionGroup,
    group('pages', t('palette.groups.pages'), pages, true),
    group('clients', t('palette.groups.clients'), clients.map(ofClient)),
    group(
      'redirectUris',
      t('palette.groups.redirectUris'),
      redirectUris.map(({ uri, client }) => ({
        ...ofClient(client),
        key: `uri ${client.id} ${uri}`,
        icon: <LinkOutlined aria-hidden />,
        title: uri,
        isCode: true,
        detail: client.clientName || client.clientId,
        detailIsCode: false,
      })),
    ),
    group('users', t('palette.groups.users'), users.map(ofUser)),
    group(
      'records',
      t('palette.groups.records'),
      records.map(({ reference, user }) => ({
        ...ofUser(user),
        key: `record ${user.id}`,
        icon: <ProfileOutlined aria-hidden />,
        title: reference,
        isCode: true,
        detail: user.fullName,
      })),
    ),
    group(
      'related',
      client ? t('palette.groups.related', { name: isolateName(client.clientName || client.clientId) }) : '',
      related,
    ),
    group('actions', t('palette.groups.actions'), actions),
    group('documentation', t('palette.groups.documentation'), documents),
  ].filter(({ entries }) => entries.length > 0);
}

/** Overlays of the pages, of which one at a time is open. */
const overlays = ['client', 'user', 'add', 'import', 'field', 'rotate'];

/** Goes to a page; what is opened on the current one keeps its search and filters. */
function useGoTo() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  return (path: Path, query: Record<string, string> = {}) => {
    const isOverlay = Object.keys(query).some((name) => overlays.includes(name));
    const parameters = new URLSearchParams(isOverlay && pathname === path ? search : '');
    for (const name of overlays) parameters.delete(name);
    for (const [name, value] of Object.entries(query)) parameters.set(name, value);
    const written = parameters.toString();
    navigate(written ? `${path}?${written}` : path);
  };
}
