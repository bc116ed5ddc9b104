// SPDX-License-Identifier: Apache-2.0
// What a trace in Chrome's format (Trace Event Format, the JSON object form) must be so that
// chrome://tracing and Perfetto show it as it is meant. Strict: nothing that the format calls
// optional is required, but what these readers would quietly drop or rename is an error.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nicsim::waves::test {

class TraceFormat {
public:
    using Json = nlohmann::json;

    /// What is wrong with it; empty if nothing is.
    static std::vector<std::string> faults_of(const std::string& text) {
        TraceFormat check;
        check.whole(Json::parse(text, nullptr, false));
        return check.faults_;
    }

private:
    /// Both readers put nestable asynchronous events with the same category and id on one track,
    /// and name it by its first event.
    using Track = std::pair<std::string, std::string>;
    struct Open {
        std::vector<std::string> names;  ///< begun, not ended
        std::string first_name;
        double time = 0;
        std::int64_t process = 0;
    };

    void whole(const Json& json) {
        if (!json.is_object()) return fault("not a JSON object");
        if (json.contains("displayTimeUnit") && json["displayTimeUnit"] != "ns" &&
            json["displayTimeUnit"] != "ms")
            fault("displayTimeUnit is neither ns nor ms");
        if (!json.contains("traceEvents") || !json["traceEvents"].is_array())
            return fault("no array traceEvents");
        for (const Json& one : json["traceEvents"]) event(one);
        for (const auto& [track, open] : open_)
            if (!open.names.empty()) fault("not ended: " + open.names.back());
        for (const auto process : used_processes_)
            if (process_names_.count(process) == 0) fault("a process without a name");
        for (const auto& thread : used_threads_)
            if (thread_names_.count(thread) == 0) fault("a track without a name");
    }

    void event(const Json& one) {
        if (!one.is_object() || !one.contains("ph") || !one["ph"].is_string())
            return fault("an event without ph: " + one.dump());
        if (!one.contains("name") || !one["name"].is_string() ||
            one["name"].get_ref<const std::string&>().empty())
            return fault("an event without a name: " + one.dump());
        // Perfetto takes process 0 for the idle process of the operating system.
        if (!one.contains("pid") || !one["pid"].is_number_integer() || one["pid"] < 1)
            return fault("an event without a process: " + one.dump());
        const std::string phase = one["ph"];
        if (phase == "M") return metadata(one);
        if (!one.contains("ts") || !one["ts"].is_number() || one["ts"] < 0)
            return fault("an event without a time: " + one.dump());
        if (phase == "b" || phase == "e") return asynchronous(one, phase == "b");
        fault("an event of a kind that is not written: " + one.dump());
    }

    void metadata(const Json& one) {
        static const std::map<std::string, std::pair<const char*, bool>> kinds = {
            {"process_name", {"name", false}},
            {"process_labels", {"labels", false}},
            {"process_sort_index", {"sort_index", false}},
            {"thread_name", {"name", true}},
            {"thread_sort_index", {"sort_index", true}}};
        const auto kind = kinds.find(one["name"]);
        if (kind == kinds.end()) return fault("unknown metadata: " + one.dump());
        const auto& [key, of_thread] = kind->second;
        if (!one.contains("args") || one["args"].size() != 1 || !one["args"].contains(key))
            return fault("metadata without its argument: " + one.dump());
        const Json& value = one["args"][key];
        const bool index = std::string(key) == "sort_index";
        if (index ? !value.is_number_integer()
                  : !value.is_string() || value.get_ref<const std::string&>().empty())
            fault("metadata with an argument of another type: " + one.dump());
        if (of_thread && (!one.contains("tid") || !one["tid"].is_number_integer()))
            return fault("metadata of no thread: " + one.dump());
        const std::int64_t process = one["pid"];
        const std::int64_t thread = of_thread ? one["tid"].get<std::int64_t>() : -1;
        if (!metadata_.insert({one["name"], process, thread}).second)
            fault("said twice: " + one.dump());
        if (one["name"] == "process_name") process_names_.insert(process);
        if (one["name"] == "thread_name") thread_names_.insert({process, thread});
    }

    void asynchronous(const Json& one, bool begin) {
        if (!one.contains("cat") || !one["cat"].is_string() ||
            one["cat"].get_ref<const std::string&>().empty())
            return fault("an asynchronous event without a category: " + one.dump());
        if (!one.contains("tid") || !one["tid"].is_number_integer())
            return fault("an event of no thread: " + one.dump());
        // `id` is one name space for all processes; readers of before 2017 know no other id.
        if (one.contains("id2") || !one.contains("id") || !one["id"].is_string())
            return fault("an asynchronous event without an id: " + one.dump());
        const std::int64_t process = one["pid"];
        const std::int64_t thread = one["tid"];
        // Perfetto knows a thread by its number alone, and takes 0 for the idle one.
        if (thread < 1 || owners_.insert({thread, process}).first->second != process)
            fault("a thread of two processes, or 0: " + one.dump());
        used_processes_.insert(process);
        used_threads_.insert({process, thread});
        Open& open = open_[{one["cat"], one["id"]}];
        if (open.process != 0 && open.process != process)
            fault("an id of two processes: " + one.dump());
        open.process = process;
        const std::string name = one["name"];
        if (open.first_name.empty()) open.first_name = name;
        if (open.first_name != name)
            fault("on a track that is called " + open.first_name + ": " + one.dump());
        if (one["ts"] < open.time) fault("time goes back: " + one.dump());
        open.time = one["ts"];
        if (begin) return open.names.push_back(name);
        if (open.names.empty() || open.names.back() != name)
            return fault("ended, but not begun last: " + one.dump());
        open.names.pop_back();
    }

    void fault(std::string text) {
        if (faults_.size() < 20) faults_.push_back(std::move(text));
    }

    std::vector<std::string> faults_;
    std::map<Track, Open> open_;
    std::set<std::tuple<std::string, std::int64_t, std::int64_t>> metadata_;
    std::map<std::int64_t, std::int64_t> owners_;  ///< of threads
    std::set<std::int64_t> process_names_, used_processes_;
    std::set<std::pair<std::int64_t, std::int64_t>> thread_names_, used_threads_;
};

}  // namespace nicsim::waves::test
