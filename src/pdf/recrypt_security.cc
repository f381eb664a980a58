#include "recrypt_security.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

namespace offloop {

namespace {

constexpr size_t ID_SIZE = 16;
constexpr size_t LEGACY_PASSWORD_MAX = 32;
constexpr size_t MODERN_PASSWORD_MAX = 127;

/* What each cipher is in a document. */
struct Scheme {
  int version;
  int revision;
  int key_bytes;
  int least_version; /* As in the options: 10 times the PDF version. */
};

Scheme scheme_of(const ol_pdf_options &options) {
  switch (options.cipher) {
    case OL_PDF_CIPHER_AES_256:
      return {5, 6, 32, 17};
    case OL_PDF_CIPHER_AES_128:
      return {4, 4, 16, 16};
    case OL_PDF_CIPHER_RC4_128:
      if (!options.encrypt_metadata) return {4, 4, 16, 15};
      return {2, 3, 16, 14};
    case OL_PDF_CIPHER_RC4_40:
      return {1, 2, 5, 13};
    default:
      return {0, 0, 0, 0};
  }
}

void entry_copy(uint8_t *out, size_t size, const std::string &value) {
  memcpy(out, value.data(), std::min(size, value.size()));
}

std::string string_at(QPDFObjectHandle dictionary, const char *key) {
  QPDFObjectHandle value = dictionary.getKey(key);
  return value.isString() ? value.getStringValue() : std::string();
}

int integer_at(QPDFObjectHandle dictionary, const char *key) {
  QPDFObjectHandle value = dictionary.getKey(key);
  long long number = value.isInteger() ? value.getIntValue() : 0;
  return static_cast<int>(static_cast<int32_t>(static_cast<uint32_t>(number)));
}

ol_pdf_method method_of(QPDF::encryption_method_e method) {
  switch (method) {
    case QPDF::e_rc4:
      return OL_PDF_METHOD_RC4;
    case QPDF::e_aes:
      return OL_PDF_METHOD_AES_128;
    case QPDF::e_aesv3:
      return OL_PDF_METHOD_AES_256;
    default:
      return OL_PDF_METHOD_MIXED;
  }
}

/* /Length in bits, or bytes as some writers have it; 0 where it makes no sense. */
int length_bytes(int length) {
  if (length >= 40 && length <= 128 && length % 8 == 0) return length / 8;
  return length >= 5 && length <= 16 ? length : 0;
}

void key_size_add(Security *security, int size) {
  int *sizes = security->key_sizes;
  for (int i = 0; i < 3 && size != 0; i++) {
    if (sizes[i] == size) return;
    if (sizes[i] == 0) {
      sizes[i] = size;
      return;
    }
  }
}

/*
 * Files disagree with their own /Length, which defaults to 40 bits, and crypt filters carry one
 * too. A password decides which it is, so all that may be meant are tried.
 */
void key_sizes_find(Security *security, QPDFObjectHandle dictionary) {
  int length = length_bytes(integer_at(dictionary, "/Length"));
  if (security->version >= 5) {
    key_size_add(security, 32);
    return;
  }
  if (security->version == 1) {
    key_size_add(security, 5);
    return;
  }
  if (security->version == 4) {
    key_size_add(security, 16);
    QPDFObjectHandle filters = dictionary.getKey("/CF");
    QPDFObjectHandle stream_filter = dictionary.getKey("/StmF");
    if (filters.isDictionary() && stream_filter.isName()) {
      QPDFObjectHandle filter = filters.getKey(stream_filter.getName());
      if (filter.isDictionary())
        key_size_add(security, length_bytes(integer_at(filter, "/Length")));
    }
  }
  key_size_add(security, length);
  key_size_add(security, 16);
  key_size_add(security, 5);
}

std::string hex_of(const void *data, size_t length) {
  static const char digits[] = "0123456789abcdef";
  std::string hex(length * 2, '\0');
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  for (size_t i = 0; i < length; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  return hex;
}

/*
 * The smallest document with an encryption dictionary, from which libqpdf copies what it has no
 * setters for: every bit of /P, and keys that were derived elsewhere.
 */
std::string stub_build(const ol_handler_entries &e, const Scheme &scheme) {
  size_t size = e.revision == 6 ? 48 : 32;
  std::string text = "%PDF-1.7\n";
  size_t catalog = text.size();
  text += "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n";
  size_t pages = text.size();
  text += "2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n";
  size_t xref = text.size();
  char offsets[96];
  snprintf(offsets, sizeof offsets,
           "xref\n0 3\n0000000000 65535 f \n%010zu 00000 n \n%010zu 00000 n \n", catalog, pages);
  std::string id = "<" + hex_of(e.id, e.id_length) + ">";
  text += offsets;
  text += "trailer\n<</Size 3/Root 1 0 R/ID[" + id + id + "]/Encrypt<</Filter/Standard/V " +
          std::to_string(scheme.version) + "/R " + std::to_string(scheme.revision) + "/Length " +
          std::to_string(scheme.key_bytes * 8) + "/P " + std::to_string(e.p) + "/O<" +
          hex_of(e.o, size) + ">/U<" + hex_of(e.u, size) + ">";
  if (scheme.revision == 6) {
    text += "/OE<" + hex_of(e.oe, 32) + ">/UE<" + hex_of(e.ue, 32) + ">/Perms<" +
            hex_of(e.perms, 16) + ">";
  }
  if (scheme.version >= 4) {
    text += scheme.version == 4 ? "/CF<</StdCF<</CFM/AESV2>>>>" : "/CF<</StdCF<</CFM/AESV3>>>>";
    text += "/StmF/StdCF/StrF/StdCF";
    text += e.encrypt_metadata ? "" : "/EncryptMetadata false";
  }
  text += ">>>>\nstartxref\n" + std::to_string(xref) + "\n%%EOF\n";
  return text;
}

void refuse(Job *job, const char *message) {
  job->fail(OL_PDF_INVALID, message);
  throw Stop();
}

void options_check(Job *job, const ol_pdf_options &options, const Scheme &scheme) {
  size_t most = scheme.revision >= 5 ? MODERN_PASSWORD_MAX : LEGACY_PASSWORD_MAX;
  const ol_password &user = options.user_password;
  if (user.length > most || options.owner_password.length > most) {
    refuse(job, "a password is longer than the encryption can hold");
  }
  if (scheme.revision <= 4 && user.length != 0 && memchr(user.data, 0, user.length) != nullptr) {
    refuse(job, "a user password for this encryption may hold no NUL");
  }
  if (scheme.revision < 4 && !options.encrypt_metadata) {
    refuse(job, "this encryption has no cleartext metadata");
  }
}

std::string text_of(ol_password password) {
  return std::string(reinterpret_cast<const char *>(password.data), password.length);
}

/* libqpdf always copies V4 as AES, so RC4 takes its setters, which know no reserved bits. */
void write_rc4_v4(Job *job, QPDFWriter &writer, const ol_pdf_options &options) {
  uint32_t p = static_cast<uint32_t>(options.p);
  auto allows = [p](uint32_t bit) { return (p & bit) != 0; };
  bool full = allows(4) && allows(2048);
  const uint32_t known = 4 | 8 | 16 | 32 | 256 | 512 | 1024 | 2048;
  if ((p | known) != 0xFFFFFFFC || !allows(512) || (allows(2048) && !allows(4))) {
    refuse(job, "permissions that RC4 with cleartext metadata cannot express");
  }
  std::string user = text_of(options.user_password);
  std::string owner = text_of(options.owner_password);
  if (owner.find('\0') != std::string::npos) {
    refuse(job, "an owner password for this encryption may hold no NUL");
  }
  qpdf_r3_print_e print = full ? qpdf_r3p_full : allows(4) ? qpdf_r3p_low : qpdf_r3p_none;
  writer.setR4EncryptionParametersInsecure(user.c_str(), owner.c_str(), true, allows(16),
                                           allows(1024), allows(32), allows(256), allows(8), print,
                                           false, false);
  wipe(&user);
  wipe(&owner);
}

void id_choose(Job *job, QPDF &document, std::string *id) {
  *id = document_id(document);
  if (!id->empty()) return;
  uint8_t random[ID_SIZE];
  if (RAND_bytes(random, sizeof random) != 1) {
    job->fail(OL_PDF_CRYPTO, "no random bytes");
    throw Stop();
  }
  id->assign(reinterpret_cast<char *>(random), sizeof random);
}

}  // namespace

void wipe(std::string *text) {
  if (!text->empty()) OPENSSL_cleanse(&(*text)[0], text->size());
}

FileKey::~FileKey() {
  OPENSSL_cleanse(bytes, sizeof bytes);
}

std::string FileKey::hex(int key_bytes) const {
  return hex_of(bytes, static_cast<size_t>(key_bytes));
}

std::string document_id(QPDF &document) {
  QPDFObjectHandle id = document.getTrailer().getKey("/ID");
  if (!id.isArray() || id.getArrayNItems() < 1) return std::string();
  QPDFObjectHandle first = id.getArrayItem(0);
  return first.isString() ? first.getStringValue() : std::string();
}

void security_read(QPDF &document, Security *security) {
  QPDFObjectHandle trailer = document.getTrailer();
  QPDFObjectHandle dictionary = trailer.getKey("/Encrypt");
  QPDF::encryption_method_e stream = QPDF::e_none;
  QPDF::encryption_method_e string = QPDF::e_none;
  QPDF::encryption_method_e file = QPDF::e_none;
  ol_handler_entries *e = &security->entries;
  int p = 0;
  document.isEncrypted(e->revision, p, security->version, stream, string, file);
  e->p = p;
  if (security->version < 4) {
    security->method = OL_PDF_METHOD_RC4;
  } else {
    bool same = stream == string && string == file;
    security->method = same ? method_of(stream) : OL_PDF_METHOD_MIXED;
  }
  security->id = document_id(document);
  e->id = reinterpret_cast<const uint8_t *>(security->id.data());
  e->id_length = security->id.size();
  QPDFObjectHandle encrypt_metadata = dictionary.getKey("/EncryptMetadata");
  e->encrypt_metadata =
      security->version < 4 || !encrypt_metadata.isBool() || encrypt_metadata.getBoolValue();
  entry_copy(e->o, sizeof e->o, string_at(dictionary, "/O"));
  entry_copy(e->u, sizeof e->u, string_at(dictionary, "/U"));
  entry_copy(e->oe, sizeof e->oe, string_at(dictionary, "/OE"));
  entry_copy(e->ue, sizeof e->ue, string_at(dictionary, "/UE"));
  entry_copy(e->perms, sizeof e->perms, string_at(dictionary, "/Perms"));
  key_sizes_find(security, dictionary);
  e->key_bytes = security->key_sizes[0];
}

bool security_unlock(Job *job, const ol_password *passwords, size_t count, Security *security,
                     FileKey *key, unsigned *opens_as) {
  static const ol_password empty = {nullptr, 0};
  if (count == 0) {
    passwords = &empty;
    count = 1;
  }
  for (size_t i = 0; i < count; i++) {
    for (const int *size = security->key_sizes; *size != 0; size++) {
      job->poll();
      security->entries.key_bytes = *size;
      switch (ol_handler_authenticate(&security->entries, passwords[i], opens_as, key->bytes)) {
        case OL_HANDLER_OK:
          return true;
        case OL_HANDLER_WRONG_PASSWORD:
          break;
        case OL_HANDLER_UNSUPPORTED:
          job->fail(OL_PDF_NOT_SUPPORTED, "unsupported combination of /V and /R");
          throw Stop();
        case OL_HANDLER_CRYPTO:
          job->fail(OL_PDF_CRYPTO, "OpenSSL cannot derive the document's key");
          throw Stop();
      }
    }
  }
  security->entries.key_bytes = security->key_sizes[0];
  return false;
}

std::string security_describe(QPDF &document) {
  QPDFObjectHandle dictionary = document.getTrailer().getKey("/Encrypt");
  if (!dictionary.isDictionary()) return "unsupported encryption";
  QPDFObjectHandle filter = dictionary.getKey("/Filter");
  std::string text;
  if (filter.isNameAndEquals("/Standard")) {
    text = "encryption with /V " + std::to_string(integer_at(dictionary, "/V")) + " and /R " +
           std::to_string(integer_at(dictionary, "/R")) + " is not supported";
  } else {
    std::string name = filter.isName() ? filter.getName() : "without a name";
    text = "the security handler " + name.substr(0, 64) + " is not supported";
  }
  return text;
}

void security_write(Job *job, QPDF &document, QPDFWriter &writer, const ol_pdf_options &options) {
  writer.setPreserveEncryption(false);
  if (options.cipher == OL_PDF_CIPHER_NONE) return;
  Scheme scheme = scheme_of(options);
  options_check(job, options, scheme);
  if (options.cipher == OL_PDF_CIPHER_RC4_128 && scheme.version == 4) {
    write_rc4_v4(job, writer, options);
    return;
  }
  std::string id;
  id_choose(job, document, &id);
  ol_handler_entries entries = {};
  entries.revision = scheme.revision;
  entries.key_bytes = scheme.key_bytes;
  entries.p = options.p;
  entries.encrypt_metadata = options.encrypt_metadata;
  entries.id = reinterpret_cast<const uint8_t *>(id.data());
  entries.id_length = id.size();
  FileKey key;
  if (ol_handler_create(&entries, options.user_password, options.owner_password, key.bytes) !=
      OL_HANDLER_OK) {
    job->fail(OL_PDF_CRYPTO, "OpenSSL cannot derive a key for the document");
    throw Stop();
  }
  /* Up to R4 libqpdf computes the key from the user's password, from R5 on it takes a given one. */
  bool raw_key = scheme.revision >= 5;
  std::string secret = raw_key ? key.hex(scheme.key_bytes) : text_of(options.user_password);
  std::string text = stub_build(entries, scheme);
  QPDF stub;
  stub.setSuppressWarnings(true);
  stub.setPasswordIsHexKey(raw_key);
  stub.processMemoryFile("", text.data(), text.size(), secret.c_str());
  wipe(&secret);
  writer.copyEncryptionParameters(stub);
}

namespace {

/*
 * The output from its trailer on, as the last startxref leads to it: a cross-reference stream's
 * dictionary, or what follows a table of entries of 20 bytes.
 */
std::string trailer_text(Sink *sink) {
  constexpr size_t TAIL = 1024;
  constexpr size_t TRAILER_MAX = 65536;
  std::string tail(TAIL, '\0');
  uint64_t from = sink->size() > TAIL ? sink->size() - TAIL : 0;
  tail.resize(sink->read(from, &tail[0], TAIL));
  size_t mark = tail.rfind("startxref\n");
  if (mark == std::string::npos) return std::string();
  uint64_t xref = strtoull(tail.c_str() + mark + 10, nullptr, 10);
  char start[64] = "";
  sink->read(xref, start, sizeof start - 1);
  unsigned long long first = 0;
  unsigned long long count = 0;
  int heading = 0;
  if (sscanf(start, "xref %llu %llu%n", &first, &count, &heading) == 2) {
    xref += static_cast<uint64_t>(heading) + 20 * count;
  }
  std::string text(TRAILER_MAX, '\0');
  text.resize(sink->read(xref, &text[0], text.size()));
  return text;
}

}  // namespace

void security_verify(Job *job, Sink *sink, const ol_pdf_options &options) {
  if (options.cipher == OL_PDF_CIPHER_NONE) return;
  char header[9] = "";
  sink->read(0, header, 8);
  bool versioned = memcmp(header, "%PDF-", 5) == 0 && header[6] == '.';
  int version = versioned ? (header[5] - '0') * 10 + (header[7] - '0') : 0;
  bool encrypted = trailer_text(sink).find(" /Encrypt ") != std::string::npos;
  if (version >= scheme_of(options).least_version && encrypted) return;
  job->fail(OL_PDF_NOT_SUPPORTED, "libqpdf did not encrypt the document as asked");
  throw Stop();
}

}  // namespace offloop
