// Messages whose request objects are compared with Mountebank's. `differs`: why it is another one there.

export interface MailCase {
  readonly name: string;
  readonly message: string;
  readonly from?: string;
  readonly to?: readonly string[];
  readonly differs?: string;
}

const HEAD = 'From: "A B" <a@x.test>\nTo: c@x.test\nSubject: s\n';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function multipart(kind: string, ...parts: string[]): string {
  return `${HEAD}MIME-Version: 1.0\nContent-Type: multipart/${kind}; boundary="B"\n\n${parts.map((part) => `--B\n${part}\n`).join('')}--B--`;
}

export const mailCases: readonly MailCase[] = [
  { name: 'a plain message', message: `${HEAD}\nhello` },
  { name: 'a blind copy is only in the envelope', message: `${HEAD}\nhello`, to: ['c@x.test', 'd@x.test'] },
  { name: 'no subject', message: 'From: a@x.test\nTo: c@x.test\n\nhello' },
  { name: 'an empty subject', message: 'From: a@x.test\nTo: c@x.test\nSubject:\n\nhello' },
  { name: 'no To header', message: 'From: a@x.test\nSubject: s\n\nhello' },
  { name: 'no body', message: `${HEAD}\n` },
  { name: 'dots at the beginning of lines', message: `${HEAD}\nline1\n..dot\n...two` },
  { name: 'blanks around the text', message: `${HEAD}\n\n  indented\n\nend  \n\n` },
  {
    name: 'names in encoded words',
    message:
      'From: =?UTF-8?B?SsO8cmdlbg==?= <a@x.test>\nTo: =?ISO-8859-1?Q?Andr=E9?= <c@x.test>\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\n\nhello',
  },
  {
    name: 'quoted-printable',
    message: `${HEAD}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe =E2=82=AC soft=\n break`,
  },
  {
    name: 'base64',
    message: `${HEAD}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOfZQ==`,
  },
  {
    name: 'another charset',
    message: `${HEAD}Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe`,
  },
  { name: 'HTML only', message: `${HEAD}Content-Type: text/html\n\n<p>Hello <b>there</b></p><p>two</p>` },
  {
    name: 'text and HTML',
    message: multipart('alternative', 'Content-Type: text/plain\n\nplain', 'Content-Type: text/html\n\n<p>html</p>'),
  },
  {
    name: 'an attachment',
    message: multipart(
      'mixed',
      'Content-Type: text/plain\n\nplain',
      `Content-Type: image/png; name="dot.png"\nContent-Disposition: attachment; filename="dot.png"\nContent-Transfer-Encoding: base64\n\n${PNG}`,
    ),
  },
  {
    name: 'two attachments, one as text',
    message: multipart(
      'mixed',
      'Content-Type: text/plain\n\nplain',
      'Content-Type: text/csv\nContent-Disposition: attachment; filename="a.csv"\n\na,b',
      'Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="b.bin"\nContent-Transfer-Encoding: base64\n\nAAEC/w==',
    ),
  },
  {
    name: 'an attachment without a name',
    message: multipart(
      'mixed',
      'Content-Type: text/plain\n\nplain',
      'Content-Type: application/pdf\nContent-Disposition: attachment\n\n%PDF',
    ),
  },
  {
    name: 'an attached message',
    message: multipart(
      'mixed',
      'Content-Type: text/plain\n\nplain',
      'Content-Type: message/rfc822\n\nSubject: inner\n\nbody',
    ),
  },
  {
    name: 'an inline image',
    message: multipart(
      'related',
      'Content-Type: text/html\n\n<img src="cid:dot">',
      `Content-Type: image/png\nContent-ID: <dot>\nContent-Disposition: inline; filename="dot.png"\nContent-Transfer-Encoding: base64\n\n${PNG}`,
    ),
  },
  {
    name: 'cc and bcc headers',
    message: `${HEAD}Cc: "C C" <cc@x.test>\nBcc: bcc@x.test\n\nhello`,
    to: ['c@x.test', 'cc@x.test', 'bcc@x.test'],
  },
  { name: 'one reference and a reply', message: `${HEAD}References: <1@x.test>\nIn-Reply-To: <2@x.test>\n\nhello` },
  { name: 'several references', message: `${HEAD}References: <1@x.test> <2@x.test>\n <3@x.test>\n\nhello` },
  { name: 'priority is always normal', message: `${HEAD}X-Priority: 1\nImportance: high\n\nhello` },
  { name: 'several To lines', message: 'From: a@x.test\nTo: c@x.test\nTo: "D" <d@x.test>\nSubject: s\n\nhello' },
  { name: 'a group', message: 'From: a@x.test\nTo: g: c@x.test, d@x.test;\nSubject: s\n\nhello' },
  { name: 'several senders', message: 'From: a@x.test, b@x.test\nTo: c@x.test\nSubject: s\n\nhello' },
  { name: 'an empty envelope sender', message: `${HEAD}\nhello`, from: '' },
  { name: 'a folded header', message: 'From: a@x.test\nTo: c@x.test\nSubject: one\n two\n\nhello' },
  { name: 'a long text', message: `${HEAD}\n${'0123456789\n'.repeat(5000)}` },
  {
    name: 'UTF-8 without an encoding',
    message: `${HEAD}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße €`,
  },
  {
    name: 'several addresses in one line',
    message: 'From: a@x.test\nTo: c@x.test, "D" <d@x.test>\nCc: e@x.test, f@x.test\nSubject: s\n\nhello',
    differs: 'F28: Mountebank lists the first address of each line',
  },
  { name: 'no From header', message: 'To: c@x.test\nSubject: s\n\nhello', differs: 'F4: Mountebank ends' },
];
