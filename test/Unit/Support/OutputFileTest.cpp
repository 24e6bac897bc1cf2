//===- OutputFileTest.cpp - Tests of OutputFile ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/OutputFile.h"

#include "gtest/gtest.h"
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mlir::quant_float;
namespace fs = std::filesystem;

namespace {
/// Provides an initially empty temporary folder.
class OutputFileTest : public ::testing::Test {
protected:
  OutputFileTest() {
    char name[] = "/tmp/quant-float-output-XXXXXX";
    folder = mkdtemp(name);
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~OutputFileTest() override { fs::remove_all(folder); }

  std::string at(const std::string &name) { return folder + "/" + name; }

  std::string read(const std::string &name) {
    std::ostringstream os;
    os << std::ifstream(at(name)).rdbuf();
    return os.str();
  }

  void give(const std::string &name, const std::string &text) {
    std::ofstream(at(name)) << text;
  }

  std::vector<std::string> list() {
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  mode_t getMode(const std::string &name) {
    struct stat status = {};
    stat(at(name).c_str(), &status);
    return status.st_mode & 07777;
  }

  std::string folder;
};

using Names = std::vector<std::string>;
} // namespace

TEST_F(OutputFileTest, NothingIsThereBeforeItIsWhole) {
  {
    OutputFile dropped(at("new"));
    EXPECT_TRUE(dropped.write("lost"));
    EXPECT_EQ(read("new"), "");
  }
  EXPECT_EQ(list(), Names());
  OutputFile file(at("new"));
  EXPECT_TRUE(file.write("one ") && file.write("two"));
  EXPECT_FALSE(fs::exists(at("new")));
  EXPECT_TRUE(file.commit());
  EXPECT_EQ(read("new"), "one two");
  EXPECT_EQ(list(), Names{"new"});
  EXPECT_TRUE(OutputFile(at("empty")).commit());
  EXPECT_EQ(read("empty"), "");
  EXPECT_TRUE(fs::exists(at("empty")));
}

TEST_F(OutputFileTest, ModesAreKept) {
  mode_t before = umask(027);
  OutputFile fresh(at("fresh"));
  EXPECT_TRUE(fresh.commit());
  EXPECT_EQ(getMode("fresh"), 0640u);
  for (mode_t mode : {0600, 0666, 0755}) {
    give("old", "old");
    chmod(at("old").c_str(), mode);
    OutputFile file(at("old"));
    EXPECT_TRUE(file.write("new") && file.commit());
    EXPECT_EQ(read("old"), "new");
    EXPECT_EQ(getMode("old"), mode);
    // A file that another program creates there has a different mode.
    OutputFile named(at("old"));
    std::ofstream(named.getName()) << "named";
    chmod(named.getName().c_str(), 0777);
    EXPECT_TRUE(named.commit());
    EXPECT_EQ(read("old"), "named");
    EXPECT_EQ(getMode("old"), mode);
  }
  umask(before);
}

TEST_F(OutputFileTest, LinksStayLinks) {
  fs::create_directory(at("below"));
  give("below/file", "old");
  fs::create_symlink("below/file", at("link"));
  fs::create_symlink("link", at("second"));
  fs::create_symlink("below/none", at("dangling"));
  fs::create_symlink("below", at("folder"));
  for (const char *name : {"link", "second", "folder/file"}) {
    OutputFile file(at(name));
    EXPECT_TRUE(file.write(name) && file.commit());
    EXPECT_EQ(read("below/file"), name);
  }
  OutputFile dangling(at("dangling"));
  EXPECT_TRUE(dangling.write("made") && dangling.commit());
  EXPECT_EQ(read("below/none"), "made");
  for (const char *name : {"link", "second", "dangling", "folder"})
    EXPECT_TRUE(fs::is_symlink(at(name))) << name;

  fs::create_symlink("loop", at("loop"));
  OutputFile loop(at("loop"));
  EXPECT_FALSE(loop.write("x"));
  EXPECT_EQ(loop.getError(), std::errc::too_many_symbolic_link_levels);
}

TEST_F(OutputFileTest, WhatCannotBeWrittenIsSaid) {
  give("file", "old");
  struct {
    std::string path;
    std::errc code;
  } cases[] = {{folder, std::errc::is_a_directory},
               {at("new/"), std::errc::no_such_file_or_directory},
               {at("none/file"), std::errc::no_such_file_or_directory},
               {at("file/below"), std::errc::not_a_directory},
               {"", std::errc::no_such_file_or_directory},
               {at(std::string(300, 'x')), std::errc::filename_too_long},
               {"/proc/none", std::errc::no_such_file_or_directory}};
  for (const auto &given : cases) {
    OutputFile file(given.path);
    EXPECT_FALSE(file.write("x") && file.commit()) << given.path;
    EXPECT_EQ(file.getError(), given.code) << given.path;
    EXPECT_FALSE(file.commit());
    EXPECT_EQ(OutputFile(given.path).getName(), "");
  }
  EXPECT_EQ(list(), Names{"file"});

  // Root has write permission for all files.
  if (getuid()) {
    chmod(at("file").c_str(), 0400);
    EXPECT_EQ(OutputFile(at("file")).getError(), std::errc::permission_denied);
  }
}

TEST_F(OutputFileTest, LimitsAndFullDisksLoseNothing) {
  give("file", "old");
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = {1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  {
    OutputFile file(at("file"));
    EXPECT_FALSE(file.write(std::string(2000, 'x')));
    EXPECT_EQ(file.getError(), std::errc::file_too_large);
    EXPECT_FALSE(file.commit());
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read("file"), "old");
  EXPECT_EQ(list(), Names{"file"});

  OutputFile full("/dev/full");
  EXPECT_TRUE(full.isStream());
  EXPECT_FALSE(full.write("x"));
  EXPECT_EQ(full.getError(), std::errc::no_space_on_device);
  OutputFile named("/dev/full");
  std::ofstream(named.getName()) << "x";
  EXPECT_FALSE(named.commit());
  EXPECT_EQ(list(), Names{"file"});
}

TEST_F(OutputFileTest, StreamsAreWrittenAsTheyAre) {
  OutputFile null("/dev/null");
  EXPECT_TRUE(null.isStream() && null.write("x") && null.commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  mkfifo(at("pipe").c_str(), 0600);
  std::string got;
  for (bool isNamed : {false, true}) {
    std::thread reader([&] { got = read("pipe"); });
    OutputFile pipe(at("pipe"));
    if (isNamed)
      std::ofstream(pipe.getName()) << "through";
    EXPECT_TRUE(isNamed || pipe.write("through"));
    EXPECT_TRUE(pipe.commit());
    reader.join();
    EXPECT_EQ(got, "through");
  }
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
  EXPECT_EQ(list(), Names{"pipe"});

  // A pipe without a reader.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  close(ends[0]);
  OutputFile closed("/dev/fd/" + std::to_string(ends[1]));
  EXPECT_FALSE(closed.write("x"));
  EXPECT_EQ(closed.getError(), std::errc::broken_pipe);
  close(ends[1]);
  EXPECT_EQ(OutputFile("/dev/fd/" + std::to_string(ends[1])).getError(),
            std::errc::bad_file_descriptor);
}

TEST_F(OutputFileTest, DescriptorsKeepTheirOffset) {
  int descriptor = open(at("file").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(descriptor, "one ", 4), 4);
  fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor), at("link"));
  for (const std::string &path :
       {"/dev/fd/" + std::to_string(descriptor), at("link")}) {
    OutputFile file(path);
    EXPECT_TRUE(file.isStream() && file.write("two ") && file.commit());
  }
  ASSERT_EQ(write(descriptor, "three", 5), 5);
  close(descriptor);
  EXPECT_EQ(read("file"), "one two two three");
}

TEST_F(OutputFileTest, SeveralAreReplacedTogether) {
  give("first", "old");
  for (const char *last : {"last", "taken"}) {
    std::vector<OutputFile> files;
    for (const char *name : {"first", "new", last}) {
      files.emplace_back(at(name));
      EXPECT_TRUE(files.back().write("written"));
    }
    bool fails = last == std::string("taken");
    if (fails)
      fs::create_directories(at("taken/by"));
    OutputFile *failed = OutputFile::commitAll(files.data(), files.size());
    if (fails) {
      ASSERT_EQ(failed, &files.back());
      EXPECT_EQ(failed->getError(), std::errc::is_a_directory);
      EXPECT_EQ(read("first"), "old");
      files.clear();
      EXPECT_EQ(list(), (Names{"first", "taken"}));
      continue;
    }
    EXPECT_EQ(failed, nullptr);
    EXPECT_EQ(list(), (Names{"first", "last", "new"}));
    for (const char *name : {"first", "new", "last"})
      EXPECT_EQ(read(name), "written");
    fs::remove(at("new"));
    fs::remove(at("last"));
    give("first", "old");
  }
}
