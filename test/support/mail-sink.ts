import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { until } from './until.js';

export interface ReceivedMail {
  /** The name of the sender (EHLO). */
  ehlo: string;
  /** The sender of the envelope. */
  from: string;
  to: string[];
  /** The received message. */
  raw: string;
  mail: Email;
}

/** A mail server that stores received mails; tests can change its behaviour at any time. */
export interface MailSink {
  /** For `config.email`. */
  config: { smtp: { host: string; port: number; security: 'none' }; from: string };
  received: ReceivedMail[];
  /** The number of attempts to deliver a mail. */
  attempts: number;
  /**
   * `accept` by default; a number refuses with this code; `hang` stops answering; `lose` stores the mail and ends the
   * connection without an answer.
   */
  behaviour: 'accept' | 'hang' | 'lose' | number;
  /** The latest mail to this address, once there are `count` of them. */
  to(address: string, count?: number): Promise<ReceivedMail>;
  stop(): Promise<void>;
  /** Starts again on the same port. */
  restart(): Promise<void>;
}

export async function startMailSink(): Promise<MailSink> {
  let server: SMTPServer | undefined;
  const sink: MailSink = {
    config: { smtp: { host: '127.0.0.1', port: 0, security: 'none' }, from: 'portal@example.org' },
    received: [],
    attempts: 0,
    behaviour: 'accept',
    async to(address, count = 1) {
      const mails = () => sink.received.filter(({ to }) => to.includes(address));
      await until(() => mails().length >= count).catch(() => {
        throw new Error(`${mails().length} mails to ${address}`);
      });
      return mails().at(-1) as ReceivedMail;
    },
    async stop() {
      await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
      server = undefined;
    },
    async restart() {
      const started = newServer(sink);
      await new Promise<void>((resolve) => started.listen(sink.config.smtp.port, '127.0.0.1', resolve));
      sink.config.smtp.port = (started.server.address() as AddressInfo).port;
      server = started;
    },
  };
  await sink.restart();
  return sink;
}

function newServer(sink: MailSink): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 100,
    onData(stream, session, callback) {
      sink.attempts += 1;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', async () => {
        const { behaviour } = sink;
        if (behaviour === 'hang') return;
        if (typeof behaviour === 'number') {
          callback(Object.assign(new Error('refused'), { responseCode: behaviour }));
          return;
        }
        const raw = Buffer.concat(chunks).toString('utf8');
        const { mailFrom, rcptTo } = session.envelope;
        sink.received.push({
          ehlo: String(session.hostNameAppearsAs),
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          mail: await PostalMime.parse(raw),
        });
        if (behaviour === 'lose') callback(Object.assign(new Error('lost'), { responseCode: 421 }));
        else callback();
      });
    },
  });
  server.on('error', () => undefined);
  return server;
}

/** The latest mail to this address with this subject, once there are `count` of them. */
export async function mailAbout(sink: MailSink, address: string, subject: string, count = 1): Promise<ReceivedMail> {
  const mails = () => sink.received.filter(({ to, mail }) => to.includes(address) && mail.subject === subject);
  await until(() => mails().length >= count);
  return mails()[count - 1] as ReceivedMail;
}

interface MailedLink {
  url: string;
  u: string;
  t: string;
}

/**
 * The link with this path in the mail that the request causes, and the answer. Mails of the same address about other
 * things may arrive before or after it: two nodes send in no order.
 */
export async function newLink<Done>(
  { received }: MailSink,
  address: string,
  path: string,
  request: () => Promise<Done>,
): Promise<MailedLink & { answer: Done }> {
  const mails = () => received.filter(({ to, mail }) => to.includes(address) && mail.text?.includes(`${path}?`));
  const before = mails().length;
  const answer = await request();
  await until(() => mails().length > before);
  return { ...linkInMail(mails().at(-1) as ReceivedMail), answer };
}

/** The link of a mail, with its parameters `u` and `t`. */
export function linkInMail({ mail }: ReceivedMail): MailedLink {
  const url = /^https?:\S+$/m.exec(mail.text ?? '')?.[0];
  if (url === undefined) throw new Error(`no link in: ${mail.text}`);
  const { searchParams } = new URL(url);
  return { url, u: searchParams.get('u') ?? '', t: searchParams.get('t') ?? '' };
}
