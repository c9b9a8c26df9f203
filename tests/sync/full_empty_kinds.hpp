// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two kinds of things that are full or empty, under one face: a word of memory, and a sync variable.
#pragma once
#include <hocket/hocket.hpp>

#include <optional>

namespace hocket_test {

/// A word begins full, with 0.
class a_word {
 public:
  long readFE() { return hocket::readFE(word_); }
  long readFF() { return hocket::readFF(word_); }
  long readXX() { return hocket::readXX(word_); }
  void writeEF(long v) { hocket::writeEF(word_, v); }
  void writeFF(long v) { hocket::writeFF(word_, v); }
  void writeF(long v) { hocket::writeF(word_, v); }
  void purge() { hocket::purge(word_); }
  bool is_full() { return hocket::is_full(word_); }
  std::optional<long> try_readFE() { return hocket::try_readFE(word_); }
  std::optional<long> try_readFF() { return hocket::try_readFF(word_); }
  bool try_writeEF(long v) { return hocket::try_writeEF(word_, v); }
  bool try_writeFF(long v) { return hocket::try_writeFF(word_, v); }
  template <class D>
  std::optional<long> readFE_for(D d) {
    return hocket::readFE_for(word_, d);
  }
  template <class D>
  std::optional<long> readFF_for(D d) {
    return hocket::readFF_for(word_, d);
  }
  template <class D>
  bool writeEF_for(long v, D d) {
    return hocket::writeEF_for(word_, v, d);
  }
  template <class D>
  bool writeFF_for(long v, D d) {
    return hocket::writeFF_for(word_, v, d);
  }
  static constexpr const char* named = "the word at 0x[0-9a-f]+";

 private:
  long word_ = 0;
};

/// A sync variable, made full with 0; of 8 bytes, or of Bytes.
struct wide {
  long value = 0;
  unsigned char rest[17] = {};
  wide() = default;
  wide(long v) : value(v) {
    for (unsigned char& c : rest) c = static_cast<unsigned char>(v);
  }
  operator long() const {
    for (const unsigned char c : rest) {
      if (c != static_cast<unsigned char>(value)) return -1;  // torn
    }
    return value;
  }
};

template <class T>
class a_variable {
 public:
  long readFE() { return v_.readFE(); }
  long readFF() { return v_.readFF(); }
  long readXX() { return v_.readXX(); }
  void writeEF(long v) { v_.writeEF(v); }
  void writeFF(long v) { v_.writeFF(v); }
  void writeF(long v) { v_.writeXF(v); }
  void purge() { v_.reset(); }
  bool is_full() { return v_.isFull(); }
  std::optional<long> try_readFE() { return as_long(v_.try_readFE()); }
  std::optional<long> try_readFF() { return as_long(v_.try_readFF()); }
  bool try_writeEF(long v) { return v_.try_writeEF(v); }
  bool try_writeFF(long v) { return v_.try_writeFF(v); }
  template <class D>
  std::optional<long> readFE_for(D d) {
    return as_long(v_.readFE_for(d));
  }
  template <class D>
  std::optional<long> readFF_for(D d) {
    return as_long(v_.readFF_for(d));
  }
  template <class D>
  bool writeEF_for(long v, D d) {
    return v_.writeEF_for(v, d);
  }
  template <class D>
  bool writeFF_for(long v, D d) {
    return v_.writeFF_for(v, d);
  }
  static constexpr const char* named = "the word at 0x[0-9a-f]+";

 private:
  static std::optional<long> as_long(const std::optional<T>& v) {
    return v ? std::optional<long>(static_cast<long>(*v)) : std::nullopt;
  }
  hocket::sync<T> v_{T(0)};
};

}  // namespace hocket_test
