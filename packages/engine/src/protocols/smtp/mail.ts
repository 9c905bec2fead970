// A received mail as Mountebank's request object of smtp. Mountebank docs: protocols/smtp.

import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { RequestJson } from '../../model/types.js';

/** Reads the message to its end. */
export async function mailRequest(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<RequestJson> {
  const mail = await simpleParser(stream);
  const { remoteAddress: ip, envelope } = session;
  const envelopeFrom = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
  const request: RequestJson = {
    requestFrom: ip,
    ip,
    envelopeFrom,
    envelopeTo: envelope.rcptTo.map(({ address }) => address),
    from: mail.from?.value[0] ?? { address: envelopeFrom, name: '' },
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    bcc: addresses(mail.bcc),
  };
  if (mail.subject !== undefined) request.subject = mail.subject;
  request.priority = 'normal';
  request.references = mail.references ?? [];
  request.inReplyTo = mail.inReplyTo ?? [];
  request.text = (mail.text ?? '').trim();
  request.html = (mail.html || '').trim();
  request.attachments = mail.attachments;
  return request;
}

/** All addresses of all lines of a header; Mountebank keeps the first of each line. */
function addresses(header: ParsedMail['to']): AddressObject['value'] {
  if (header === undefined) return [];
  return Array.isArray(header) ? header.flatMap(({ value }) => value) : header.value;
}
